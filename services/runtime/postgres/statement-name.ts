/** The name of a statement for metrics and traces: its verb and table, without any value. */

import type { WorkContext } from "../work-context.ts";

export type StatementObserver = {
  /** Called when a statement has ended. `sentFrom` is what it was sent for; `error` what it failed with. */
  ended: (statement: string, ms: number, sentFrom: WorkContext, error?: unknown) => void;
};

/** Not `for update`, and also behind a `with`. */
const WRITE = /\b(?:(insert)\s+into|(delete)\s+from|(update)\s+"?\w+"?\.)/i;
const READ = /\bselect\b/i;
const TABLE = /\b(?:gateway|generation|billing|delivery)"?\."?(\w+)/;
/** Each call site has one template, so that its name is found once. */
const names = new WeakMap<readonly string[], string>();

/** `text` is the template of a statement; values are never part of it. */
export function statementName(text: readonly string[]): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const whole = text.join("$");
  const [, insert, deletion, update] = WRITE.exec(whole) ?? [];
  const verb = insert ?? deletion ?? update ?? (READ.test(whole) ? "select" : "other");
  const table = TABLE.exec(whole)?.[1];
  const name = table === undefined ? verb : `${verb} ${table}`;
  names.set(text, name);
  return name;
}
