/** What the operators' command line says to a command that is wrong, and its exit code. */
import type { Command } from "commander";
import { expect, it } from "vitest";
import { opsProgram } from "../../services/ops/program.ts";
import { runOpsHere } from "../support/operator.ts";
import { runToEnd } from "../support/process.ts";

const ops = (command: string) => runOpsHere({}, command.split(" "));

it("is the same from its own process", async () => {
  expect(await runToEnd("services/ops/main.ts", {}, ["nonsense"])).toEqual({
    code: 2,
    output: expect.stringContaining("unknown command 'nonsense'"),
  });
});

it.each([
  ["-h", "Usage: node services/ops/main.ts [options] [command]"],
  ["service-key rotate --help", "Usage: node services/ops/main.ts service-key rotate"],
  ["service-key help rotate", "Usage: node services/ops/main.ts service-key rotate"],
])("gives help of %j", async (command, says) => {
  expect(await ops(command)).toEqual({ code: 0, output: expect.stringContaining(says) });
});

it("says in its help how it is called in a checkout, by npm", async () => {
  const byNpm = { npm_lifecycle_event: "ops" };
  const { output } = await runOpsHere(byNpm, ["key", "--help"]);
  expect(output).toContain("Usage: npm run --silent ops -- key [options]");
});

it("says in its help which options a command requires", async () => {
  const { output } = await ops("balance --help");
  expect(output).toMatch(/--account <id>.*\(required\)/);
  expect(output).toMatch(/--json +print JSON\n/);
});

it.each([
  ["statsu", "(Did you mean status?)", '"node services/ops/main.ts --help" says'],
  ["generations list", "(Did you mean generation?)"],
  ["key lst", "unknown command 'lst'", 'ops/main.ts key --help" says'],
  ["status --jsn", "(Did you mean --json?)", 'ops/main.ts status --help" says'],
  ["balance", "required: --account"],
  ["adjust", "required: --account, --tokens, --reason"],
  ["user create", "required: --account, --email, --name"],
  ["statement", "required: --account, --month;"],
  ["account show acct_1", '"acct_1" belongs to an option; required: --account;'],
  ["balance --account a --mode x", "It must be live or test.", 'ops/main.ts balance --help" says'],
  ["recharge --account a --tokens 5", "give --reference", "--no-reference"],
  ["recharge --account a --tokens 5 --reference r --no-reference", "not both"],
  ["recharge --account a --tokens 5 --no-reference --reference r", "not both"],
])("exits with 2 for %j, with its hint and without pages of help", async (command, ...says) => {
  const { code, output } = await ops(command);
  expect(code).toBe(2);
  for (const text of says) expect(output).toContain(text);
  expect(output.trim().split("\n").length).toBeLessThanOrEqual(3);
});

it("has a row for nothing that the protos have not, and one default of --mode", () => {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
  const commands = leaves(opsProgram());
  expect(commands.length).toBeGreaterThan(40);
  const modes = commands.flatMap(({ options }) => options.filter(({ long }) => long === "--mode"));
  expect(modes.length).toBeGreaterThan(10);
  expect(new Set(modes.map((one) => String(one.defaultValueDescription)))).toEqual(
    new Set(["live"]),
  );
});
