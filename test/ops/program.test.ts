/** What the operators' command line says to a command that is wrong, and its exit code. */
import { runOpsHere } from "../support/operator.ts";
import { runToEnd } from "../support/process.ts";

const ops = (command: string) => runOpsHere({}, command.split(" "));

it("is the same from its own process", async () => {
  expect(await runToEnd("services/ops/main.ts", {}, ["nonsense"])).toEqual({
    code: 2,
    output: expect.stringContaining("unknown command 'nonsense'"),
  });
});

it("says in its help which options a command requires", async () => {
  const { code, stdout } = await ops("balance --help");
  expect(code).toBe(0);
  expect(stdout).toMatch(/--account <id>.*\(required\)/);
  expect(stdout).toMatch(/--json +print JSON\n/);
});

it.each([
  ["statsu", "(Did you mean status?)", '"node services/ops/main.ts --help" says'],
  ["key lst", "unknown command 'lst'", 'ops/main.ts key --help" says'],
  ["adjust", "required: --account, --tokens, --reason"],
  ["adjust --account a --tokens=-12345678901234567", "It must have at most 16 digits."],
  ["upstream try nosuch", '"nosuch" belongs to an option (--upstream, --image-url, --keep)'],
  ["upstream check all", 'ops: "all" is too much: no option here takes a value; see "--help"'],
  ["account show acct_1", '"acct_1" belongs to an option (--account); required: --account;'],
  ["balance --account a --mode x", "It must be live or test.", 'ops/main.ts balance --help" says'],
  ["key limits --account a --key k --day-tokens -1", "--day-tokens", "whole number, 0 or more"],
  ["recharge --account a --tokens 5", "give --reference", "--no-reference"],
  ["recharge --account a --tokens 5 --reference r --no-reference", "not both"],
])("exits with 2 for %j, with its hint and without pages of help", async (command, ...says) => {
  const { code, stderr } = await ops(command);
  expect(code).toBe(2);
  for (const text of says) expect(stderr).toContain(text);
  expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(3);
});
