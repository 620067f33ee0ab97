/** Why a generation fails: the public codes, and the failures that this service itself finds. */
import { ERROR_CODES } from "#vocabulary/public-generation.ts";

export type FailureCode = keyof typeof ERROR_CODES;
export const FAILURE_CODES = Object.keys(ERROR_CODES) as FailureCode[];

/** The message is for the client developer; it names no provider. */
export type Failure = { code: FailureCode; message: string };

/** What happened, and what the client does before it creates the generation again, with a new Idempotency-Key. */
type Words = readonly [happened: string, remedy?: string];

/** Failures of one code, by their names. */
export function failuresOf<Name extends string>(
  code: FailureCode,
  words: Record<Name, Words>,
): Record<Name, Failure> {
  const failures = Object.entries<Words>(words).map(([name, [happened, remedy]]) => {
    const next = remedy === undefined ? "create it" : `${remedy}, and create the generation`;
    const message = `${happened} Nothing was charged; ${next} again with a new Idempotency-Key.`;
    return [name, { code, message }];
  });
  return Object.fromEntries(failures) as Record<Name, Failure>;
}

export const FAILURES = {
  ...failuresOf("expired", {
    neverStarted: ["No upstream started the generation in time."],
    resultGone: ["The result was gone before it could be copied."],
  }),
  ...failuresOf("upstream_timeout", { tookTooLong: ["The generation took longer than allowed."] }),
  ...failuresOf("upstream_failed", {
    stopped: ["The generation was stopped before it was finished."],
    notStorable: ["The result could not be read."],
  }),
  ...failuresOf("internal", {
    interrupted: ["The generation was cut off by a fault of ours."],
    notEnded: ["The generation could not be brought to its end by a fault of ours."],
  }),
};

/** `field`: its path, e.g. "image_urls[2]". The words are the same for all causes, so that nobody probes addresses. */
export function unreadableInput(field: string): Failure {
  const message = `${field} could not be read: its URL must answer within 20 seconds with a JPEG, PNG or WebP of at most 20 MB that anybody can fetch. Nothing was charged; create it again with another URL and a new Idempotency-Key.`;
  return { code: "invalid_input", message };
}
