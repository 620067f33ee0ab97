/** Errors that the Postgres driver throws outside the reach of its callers. */
import { describe, expect, it } from "vitest";
import { runToEnd } from "../../support/process.ts";

describe("a process with an uncaught error", () => {
  it.each([
    [
      "runs on after",
      "TypeError: Cannot read properties of null (reading 'write')",
      "nextWrite",
      0,
    ],
    ["ends after", "TypeError: Cannot read properties of null (reading 'write')", "ourOwnCode", 1],
    ["ends after", "Error: something else", "nextWrite", 1],
  ])("%s %s in %s", async (_, message, functionName, code) => {
    const ended = await runToEnd("test/runtime/postgres/throwing-process.ts", {
      MESSAGE: message,
      FUNCTION: functionName,
    });
    expect(ended.code).toBe(code);
    expect(ended.output.includes("still here")).toBe(code === 0);
  });
});
