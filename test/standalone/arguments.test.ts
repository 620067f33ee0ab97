/** What npm start says to arguments. */
import { expect, it } from "vitest";
import { runToEnd } from "../support/process.ts";

it.each(["--help", "-h"])("answers %s in a few lines, and starts nothing", async (asked) => {
  const { code, output } = await runToEnd("services/standalone/main.ts", {}, [asked]);
  expect([code, output.split("\n").length < 12]).toEqual([0, true]);
  expect(output).toContain("docs/variables.md");
});

it("refuses an argument that it does not know in one line, and starts nothing", async () => {
  const args = ["--port", "22005"];
  expect(await runToEnd("services/standalone/main.ts", {}, args)).toEqual({
    code: 1,
    output:
      "npm start has no argument --port: its settings are variables, such as PORT=22000 npm start. npm start -- --help names them.\n",
  });
});
