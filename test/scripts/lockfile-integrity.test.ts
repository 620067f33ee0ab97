/** `npm run check` finds packages that npm would install without verifying them. */
import { expect, it } from "vitest";
import { checkIntegrity, withoutIntegrity } from "../../scripts/lockfile-integrity.mjs";

const mac = { version: "2.36.0", optional: true };

it("finds the packages without a hash, also of other platforms, but those that are named", () => {
  expect(
    withoutIntegrity({
      "": {},
      "clients/own": {},
      "node_modules/hashed": { integrity: "sha512-a" },
      "node_modules/linked": { link: true },
      "node_modules/plain": {},
      "node_modules/a/node_modules/nested": { optional: true },
      "node_modules/@other/darwin-arm64": mac,
      "node_modules/@dbmate/darwin-arm64": mac,
      "node_modules/@dbmate/darwin-x64": { ...mac, version: "2.36.1" },
    }),
  ).toEqual([
    "node_modules/plain",
    "node_modules/a/node_modules/nested",
    "node_modules/@other/darwin-arm64",
    "node_modules/@dbmate/darwin-x64",
  ]);
});

it("finds nothing in this project", () => {
  expect(checkIntegrity()).toEqual({ ok: true, output: "" });
});
