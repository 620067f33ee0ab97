/** Reads the Prefer header, a list of preferences (RFC 7240). Nothing in it is an error. */
import { nameAndValue, splitUnquoted } from "../http/header-value.ts";

/** The longest wait, as the document states it. */
const MAX_WAIT_SECONDS = 60;
/** Nothing is read of a longer header. */
const MAX_CHARACTERS = 1_000;

/** The seconds of the first `wait`; undefined where none is asked for, or not as a whole number. */
export function preferredWaitSeconds(prefer = ""): number | undefined {
  if (prefer.length > MAX_CHARACTERS) return undefined;
  for (const preference of splitUnquoted(prefer, ",")) {
    const [name, value] = nameAndValue(splitUnquoted(preference, ";")[0] ?? "");
    if (name !== "wait") continue;
    const seconds = /^\d+$/.test(value) ? Number(value) : 0;
    return Math.min(seconds, MAX_WAIT_SECONDS) || undefined;
  }
  return undefined;
}
