/** What a process says that ends by a fault. */
import { expect, it } from "vitest";
import { runToEnd } from "../support/process.ts";

it("ends at an uncaught exception, with one line of JSON", async () => {
  const { code, output } = await runToEnd("test/runtime/throwing-process.ts", {});
  expect(code).toBe(1);
  expect(JSON.parse(output)).toMatchObject({ err: { message: "nobody catches this" } });
});
