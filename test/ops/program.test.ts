/** The exit code of the operators' command line says whether there is such a command. */
import { describe, expect, it } from "vitest";
import { runToEnd } from "../support/process.ts";

const ops = (command: string) => runToEnd("services/ops/main.ts", {}, command.split(" "));

describe("help", () => {
  it.each([
    ["nonsense --help", "unknown command 'nonsense'"],
    ["-h", "Usage: node services/ops/main.ts [options] [command]"],
    ["keys nonsense -h", "unknown command 'nonsense'"],
    ["keys rotate --help", "Usage: node services/ops/main.ts keys rotate"],
    ["keys help rotate", "Usage: node services/ops/main.ts keys rotate"],
    ["generations nonsense --help", "too many arguments"],
    [
      "generations --status pending show --help",
      "Usage: node services/ops/main.ts generations show",
    ],
  ])("of %j is given where there is such a command", async (command, says) => {
    expect(await ops(command)).toEqual({
      code: command.includes("nonsense") ? 2 : 0,
      output: expect.stringContaining(says),
    });
  });
});

it("says in its help how it is called in a checkout, by npm", async () => {
  const byNpm = { npm_lifecycle_event: "ops" };
  const { output } = await runToEnd("services/ops/main.ts", byNpm, ["keys", "--help"]);
  expect(output).toContain("Usage: npm run --silent ops -- keys [options]");
});

it("says in its help which options a command requires", async () => {
  const { output } = await ops("balance --help");
  expect(output).toMatch(/--account <id>.*\(required\)/);
  expect(output).toMatch(/--json +print JSON\n/);
});

describe("a wrong command", () => {
  it.each([
    ["statsu", "(Did you mean status?)", '"node services/ops/main.ts --help" says'],
    ["keys list", '(Did you mean "key list"?)'],
    ["key rotate billing", '(Did you mean "keys rotate"?)'],
    ["generation show vgen_1", '(Did you mean "generations show"?)'],
    ["generations fail vgen_1", '(Did you mean "generation fail"?)'],
    ["key lst", "unknown command 'lst'", 'ops/main.ts key --help" says'],
    ["status --jsn", "(Did you mean --json?)", 'ops/main.ts status --help" says'],
    ["balance", "required option '--account <id>'", 'ops/main.ts balance --help" says'],
    [
      "balance --account a --mode x",
      "It must be live or test.",
      'ops/main.ts balance --help" says',
    ],
    ["recharge --account a --tokens 5", "give --reference", "--no-reference"],
  ])("as in %j exits with 2 and its hint, without pages of help", async (command, ...says) => {
    const { code, output } = await ops(command);
    expect(code).toBe(2);
    for (const text of says) expect(output).toContain(text);
    expect(output.trim().split("\n").length).toBeLessThanOrEqual(3);
  });

  it("is another exit code than that of a service which cannot be reached", async () => {
    const unreachable = { GATEWAY_RPC_URL: "http://127.0.0.1:1" };
    const run = await runToEnd("services/ops/main.ts", unreachable, ["account", "list"]);
    expect(run.code).toBe(1);
  });
});
