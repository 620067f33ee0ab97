/** `npm run check` finds packages that npm would install without verifying them. */
import { expect, it } from "vitest";
import { withoutIntegrity } from "../../scripts/lockfile-integrity.mjs";

it("finds the packages without a hash, but those that are installed on other platforms only", () => {
  const linux = { optional: true, os: ["linux"], cpu: ["x64"] };
  expect(
    withoutIntegrity({
      "": {},
      "clients/own": {},
      "node_modules/hashed": { integrity: "sha512-a" },
      "node_modules/linked": { link: true },
      "node_modules/plain": {},
      "node_modules/a/node_modules/nested": { optional: true },
      "node_modules/linux": linux,
      "node_modules/musl": { ...linux, libc: ["musl"] },
      "node_modules/mac": { ...linux, os: ["darwin"] },
      "node_modules/arm": { ...linux, cpu: ["arm64"] },
      "node_modules/required-mac": { os: ["darwin"] },
    }),
  ).toEqual([
    "node_modules/plain",
    "node_modules/a/node_modules/nested",
    "node_modules/linux",
    "node_modules/required-mac",
  ]);
});
