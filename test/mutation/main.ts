/** Removes one guard at a time, in a copy of the tree, and expects a test to fail: `npm run test:mutation -- billing`. */
import type { Mutation } from "./mutation.ts";
import { runTests } from "./run-tests.ts";
import { TABLES } from "./tables.ts";
import { copyTree, type TreeCopy } from "./tree-copy.ts";

/** The first argument is a service, the second a part of a guard's name. Without them: all. */
const [service, guardPart = ""] = process.argv.slice(2);
const selected = [...TABLES].filter(([name]) => service === undefined || name === service);
if (selected.length === 0) {
  process.stderr.write(`no such service: ${service}; there are ${[...TABLES.keys()].join(", ")}\n`);
  process.exit(2);
}

const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.once(name, () => interrupted.abort(new Error(`stopped by ${name}`)));
}
const { signal } = interrupted;

{
  await using tree = await copyTree();
  let failures = 0;
  for (const [name, table] of selected) {
    const mutations = table.filter(({ guard }) => guard.includes(guardPart));
    process.stdout.write(`${name}: ${mutations.length} guards\n`);
    failures += await checkService(tree, mutations);
  }
  process.stdout.write(failures === 0 ? "every guard has a test\n" : `${failures} failed\n`);
  if (failures > 0) process.exitCode = 1;
}

/** The number of guards that no test was shown to need. */
async function checkService(tree: TreeCopy, mutations: readonly Mutation[]): Promise<number> {
  if (mutations.length === 0) return 0;
  const files = [...new Set(mutations.map(({ test }) => test))];
  const before = await runTests(tree.path, files, { signal });
  if (before.kind !== "passed") {
    const what = before.kind === "failed" ? before.test : before.reason;
    process.stdout.write(`BROKEN    with every guard in place: ${what}\n`);
    return mutations.length;
  }
  let failures = 0;
  for (const mutation of mutations) {
    const { isRed, line } = await withoutGuard(tree, mutation);
    if (!isRed) failures += 1;
    process.stdout.write(`${line}\n`);
  }
  return failures;
}

async function withoutGuard(
  tree: TreeCopy,
  mutation: Mutation,
): Promise<{ isRed: boolean; line: string }> {
  const { guard, file, test, name } = mutation;
  await using edit = await tree.edit(mutation);
  if (!edit) {
    const reason = `guard text not found in ${file}: update the table`;
    return { isRed: false, line: `BROKEN    ${guard}: ${reason}` };
  }
  const outcome = await runTests(tree.path, [test], { name, signal });
  switch (outcome.kind) {
    case "failed":
      return { isRed: true, line: `red       ${guard}: ${outcome.test}` };
    case "passed":
      return { isRed: false, line: `SURVIVED  ${guard}: ${test} stays green` };
    case "broken":
      return { isRed: false, line: `BROKEN    ${guard}: ${outcome.reason}` };
  }
}
