/** What a log line may have. Nothing else reaches one, so that no secret, prompt or URL of a client can. */

/**
 * Ids, names and figures of our own making; `reason` and `file` are of operators' files and of our own words. Not ids of
 * upstreams' jobs, which may carry what was asked or lead to it, nor hosts, which clients name.
 */
const LOGGED = [
  "account_id",
  "alert",
  "attempt",
  "code",
  "delivery_id",
  "deleted",
  "deliveries",
  "discrepancies",
  "duration_ms",
  "error",
  "error_code",
  "fault",
  "file",
  "generation_id",
  "generations",
  "holds",
  "job",
  "key",
  "key_id",
  "kind",
  "lease_lost",
  "listens",
  "loop",
  "mail",
  "method",
  "mode",
  "model",
  "models",
  "ms",
  "outcome",
  "part",
  "paused",
  "pid",
  "position",
  "reason",
  "request_id",
  "route",
  "rpc",
  "schema",
  "secrets",
  "seen",
  "server",
  "signal",
  "status",
  "status_code",
  "step",
  "trace_id",
  "unknown",
  "upstream",
  "upstreams",
  "uses",
  "version",
] as const;

type Value = string | number | boolean | null | undefined | readonly string[];

/** The fields of a line. A new one is added to the list above, once it is certain what it can hold. */
export type LogFields = { [Name in (typeof LOGGED)[number]]?: Value } & { err?: unknown };

const NAMES: ReadonlySet<string> = new Set<string>(LOGGED);
const MAX_CHARACTERS = 500;
const MAX_CAUSES = 3;

/** Only the listed fields, and of them only plain values. */
export function listedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    if (fields[name] === undefined) continue;
    if (name === "err") line["err"] = shownError(fields[name]);
    else if (NAMES.has(name) && isPlain(fields[name])) line[name] = fields[name];
  }
  return line;
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** An error's kind, place and causes. Other properties may hold the request, the statement's values or the connection. */
function shownError(error: unknown, causes = 0): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, code, cause, stack = "" } = error as Error & { code?: unknown };
  return {
    type: name,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    message: shownMessage(error),
    // The stack begins with the message, which may have lines of its own.
    stack: stack.match(/^ {4}at .*/gm)?.join("\n") ?? "",
    ...(cause === undefined || causes >= MAX_CAUSES
      ? {}
      : { cause: shownError(cause, causes + 1) }),
  };
}

const QUOTES_INPUT = "not shown, because it may quote what was read";

/** Some messages quote the input that was wrong; others name URLs, of which only the host is not secret. */
function shownMessage({ name, message, ...error }: Error & { code?: unknown }): string {
  const code = typeof error.code === "string" ? error.code : "";
  const isData = name === "PostgresError" && code.startsWith("22");
  if (name === "SyntaxError" || isData || code.startsWith("ERR_INVALID_")) return QUOTES_INPUT;
  return message
    .replaceAll(/\/\/[^\s/@]*@/g, "//")
    .replaceAll(/(https?:\/\/[^\s/?#]*)[/?#]\S*/g, "$1")
    .slice(0, MAX_CHARACTERS);
}
