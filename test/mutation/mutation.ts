/** One guard, the edit that removes it, and the test that must fail without it. */

export type Mutation = {
  /** What the guard ensures. */
  guard: string;
  /** The file that holds the guard. */
  file: string;
  /** The guard's text: exactly one place of the file. */
  old: string;
  /** The text without the guard. It must still parse. */
  new: string;
  /** The test file that must fail. */
  test: string;
  /** Part of the name of the test that must fail; without it, any test of the file. */
  name?: string;
};

/** The text that is removed; or what is replaced, by what and, where one is meant, part of the name of the test. */
type Edit = string | [old: string, replacement: string, name?: string];

/** The guards of one file that one test file needs: what each ensures, and the edit that removes it. */
export const guards = (
  file: string,
  test: string,
  edits: Readonly<Record<string, Edit>>,
): Mutation[] =>
  Object.entries(edits).map(([guard, edit]) => {
    const [old, replacement, name] = typeof edit === "string" ? [edit, ""] : edit;
    return { guard, file, old, new: replacement, test, ...(name !== undefined && { name }) };
  });
