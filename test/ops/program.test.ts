/** The exit code of the operators' command line says whether there is such a command. */
import { describe, expect, it } from "vitest";
import { runToEnd } from "../support/process.ts";

const ops = (command: string) => runToEnd("services/ops/main.ts", {}, command.split(" "));

describe("help", () => {
  it.each([
    ["nonsense --help", "unknown command 'nonsense'"],
    ["-h", "Usage: ops [options] [command]"],
    ["keys nonsense -h", "unknown command 'nonsense'"],
    ["keys rotate --help", "Usage: ops keys rotate"],
    ["keys help rotate", "Usage: ops keys rotate"],
    ["generations nonsense --help", "too many arguments"],
    ["generations --status pending show --help", "Usage: ops generations show"],
  ])("of %j is given where there is such a command", async (command, says) => {
    expect(await ops(command)).toEqual({
      code: command.includes("nonsense") ? 1 : 0,
      output: expect.stringContaining(says),
    });
  });
});
