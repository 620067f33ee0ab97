/** Every `ops` command that the documents name exists and has all that it must be given. */
import { globSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { opsProgram } from "../../services/ops/program.ts";

const FILES = ["README.md", ...globSync("docs/*.md"), ...globSync("services/*/README.md")];

/** In running text or at the beginning of a line of an example, without its comment. */
const NAMED = /(?:`(?:npm run --silent )?|^)ops\s(?:-- )?([a-z][^`\n#]*)/gm;

/** What is wrong with a command as it is written; a bare name is a mention, and needs no options. */
function faultsOf(text: string): string[] {
  const words = text
    .replaceAll(/[[\]`]/g, "")
    .trim()
    .split(/\s+/);
  let command: Command = opsProgram();
  for (;;) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (!next) break;
    command = next;
    words.shift();
  }
  const given = words.filter((word) => word.startsWith("--"));
  const unknown = given.filter((word) => !command.options.some(({ long }) => long === word));
  const isMention = words.length === 0 || words.includes("…");
  const missing = command.options.filter(
    ({ mandatory, description, long }) =>
      !isMention &&
      (mandatory || description.endsWith("(required)")) &&
      !given.includes(long ?? ""),
  );
  return [
    ...(command.parent === null ? ["no such command"] : []),
    ...unknown.map((word) => `no option ${word}`),
    ...missing.map(({ long }) => `${long} is missing`),
  ];
}

it("names only commands that can be called so", () => {
  const named = FILES.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(NAMED)].map(([, text = ""]) => ({ file, text })),
  );
  expect(named.length).toBeGreaterThan(40);
  const wrong = named.map((one) => ({ ...one, faults: faultsOf(one.text) }));
  expect(wrong.filter(({ faults }) => faults.length > 0)).toEqual([]);
});
