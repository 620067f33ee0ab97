import { expect, it } from "vitest";
import { runToEnd } from "../../support/process.ts";

it.each([
  ["lives on", "TypeError: Cannot read properties of null (reading 'write')", "nextWrite", 0],
  ["ends", "TypeError: Cannot read properties of null (reading 'write')", "ourOwnCode", 1],
  ["ends", "Error: something else", "nextWrite", 1],
])("a process %s after an uncaught %s in %s", async (_, message, place, code) => {
  const ended = await runToEnd("test/runtime/postgres/throwing-process.ts", {
    MESSAGE: message,
    PLACE: place,
  });
  expect(ended.code).toBe(code);
  expect(ended.output.includes("still here")).toBe(code === 0);
});
