/** Refuses new passwords that are guessed at once. */
import { Problem } from "../../edge/http/problem.ts";

/** Of the library's 0 to 4: from 2 on, more than a million guesses. Delays of sign-in attempts do the rest. */
const MIN_SCORE = 2;

/**
 * Throws `weak_password` for a password that is common, or made of a pattern, or of what is known of the user. The library's
 * word lists take 30 MB, so they are loaded with the first password.
 */
export async function requireStrongPassword(
  password: string,
  { param, known }: { param: "password" | "new_password"; known: readonly string[] },
): Promise<void> {
  const check = await (estimator ??= loadEstimator());
  if (check(password, known) < MIN_SCORE) throw new Problem("weak_password", { param });
}

type Estimator = (password: string, known: readonly string[]) => number;

let estimator: Promise<Estimator> | undefined;

async function loadEstimator(): Promise<Estimator> {
  const { ZxcvbnFactory } = await import("@zxcvbn-ts/core");
  const { adjacencyGraphs, dictionary } = await import("@zxcvbn-ts/language-common");
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return (password, known) => zxcvbn.check(password, [...known]).score;
}
