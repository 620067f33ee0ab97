/** `npm run check` finds packages that npm would install without verifying them, or would have to ask for. */
import { checkIntegrity, incompletePackages } from "../../scripts/lockfile-integrity.mjs";

const resolved = "https://registry.npmjs.org/a/-/a-1.0.0.tgz";
const mac = { version: "2.36.0", optional: true, resolved };

it("finds the packages without an address or a hash, also of other platforms, but those that are named", () => {
  expect(
    incompletePackages({
      "": {},
      "clients/own": {},
      "node_modules/hashed": { integrity: "sha512-a", resolved },
      "node_modules/linked": { link: true },
      "node_modules/without-address": { integrity: "sha512-a" },
      "node_modules/plain": { resolved },
      "node_modules/a/node_modules/nested": { optional: true, resolved },
      "node_modules/@other/darwin-arm64": mac,
      "node_modules/@dbmate/darwin-arm64": mac,
      "node_modules/@dbmate/darwin-x64": { ...mac, version: "2.36.1" },
    }),
  ).toEqual([
    "node_modules/without-address",
    "node_modules/plain",
    "node_modules/a/node_modules/nested",
    "node_modules/@other/darwin-arm64",
    "node_modules/@dbmate/darwin-x64",
  ]);
});

it("finds nothing in this project", () => {
  expect(checkIntegrity()).toEqual({ ok: true, output: "" });
});
