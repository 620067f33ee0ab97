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

/** What a guard ensures, its text, the text without it and, if one is meant, part of the name of the test. */
type Guard = [guard: string, old: string, new: string, name?: string];

/** The guards of one file that one test file needs. */
export const guards = (file: string, test: string, rows: readonly Guard[]): Mutation[] =>
  rows.map(([guard, old, replacement, name]) => ({
    guard,
    file,
    old,
    new: replacement,
    test,
    ...(name !== undefined && { name }),
  }));
