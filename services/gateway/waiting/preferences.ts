/** Reads the Prefer header, a list of preferences (RFC 7240). Nothing in it is an error. */

/** As long as the document says that an answer is held at most. */
const MAX_WAIT_SECONDS = 60;

/** What stands between commas that are not quoted. */
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"|[^,"])+/g;

/** The seconds of the first `wait`; undefined where none is asked for, or not as a whole number. */
export function preferredWaitSeconds(prefer: string | undefined): number | undefined {
  for (const preference of prefer?.match(PREFERENCE) ?? []) {
    const [name = "", value = ""] = (preference.split(";", 1)[0] ?? "").split("=", 2);
    if (name.trim().toLowerCase() !== "wait") continue;
    const seconds = /^\s*"?(\d+)"?\s*$/.exec(value)?.[1];
    return Math.min(Number(seconds ?? 0), MAX_WAIT_SECONDS) || undefined;
  }
  return undefined;
}
