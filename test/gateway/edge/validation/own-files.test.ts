/** URLs below those of the files that the service stores, where its address is a public one. */
import { expect, it } from "vitest";
import { allowNone } from "#runtime/address.ts";
import { createCheckers } from "../../../../services/gateway/edge/validation/checker.ts";

const BASE = "https://media.example.com/assets";
const url = (more: object) => ({ type: "string", format: "public-https-url", ...more });
const properties = { picture: url({ "x-own-files": true }), hook: url({}) };
const check = createCheckers(
  allowNone,
  () => BASE,
  (code) => `described: ${code}`,
)("body", { type: "object", properties } as object);

it("are of stored files where they have the form of one, and else of none", () => {
  expect(check({ picture: `${BASE}/${"0".repeat(26)}.png` })).toEqual([]);
  expect(check({ picture: `${BASE}/file_1.png` })).toEqual([
    { code: "file_not_found", message: "described: file_not_found", param: "picture" },
  ]);
  expect(check({ picture: "https://media.example.com/assets.png" })).toEqual([]);
});

it("are refused where no file is taken", () => {
  expect(check({ hook: `${BASE}/${"0".repeat(26)}.png` })).toMatchObject([
    { code: "url_not_allowed", param: "hook" },
  ]);
});
