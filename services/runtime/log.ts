/** Structured logs: one pino logger for each service, with secrets and prompts redacted. */
import { pino } from "pino";
import type { DestinationStream, Logger } from "pino";

export type Log = Logger;

const REDACTED_FIELDS: ReadonlySet<string> = new Set([
  "prompt",
  "negative_prompt",
  "secret",
  "token",
  "password",
  "authorization",
  "cookie",
]);
/** Fields of the line, of its objects, and of their objects. */
const REDACTED_DEPTH = 3;

const STANDARD_OUTPUT = 1;

/** Characters of one turn that are kept before they are written. */
const MAX_UNWRITTEN = 65_536;
const unwritten = new Set<() => void>();
process.on("exit", () => {
  for (const flush of unwritten) flush();
});

/** A logger of one service, or of a process with several (`service` undefined). The default is standard output. */
export function createLog(
  service: string | undefined,
  level = "info",
  destination: DestinationStream = logDestination(STANDARD_OUTPUT),
): Log {
  const options = {
    level,
    base: service === undefined ? {} : { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => redacted(fields, REDACTED_DEPTH),
    },
    serializers: {
      err: (error: Error) => redacted({ ...pino.stdSerializers.err(error) }, REDACTED_DEPTH - 1),
    },
  };
  return pino(options, destination);
}

/**
 * A file, or a descriptor. The lines of one turn of the event loop are written together at its end, or when the process
 * ends normally, by `process.exit` or by an exception; only a kill loses them. Writes wait for a full pipe's reader.
 */
export function logDestination(dest: string | number): DestinationStream {
  const stream = pino.destination({ dest, sync: true });
  let lines = "";
  const flush = () => {
    unwritten.delete(flush);
    const text = lines;
    lines = "";
    if (text !== "") stream.write(text);
  };
  return {
    write(line) {
      if (lines === "") {
        unwritten.add(flush);
        setImmediate(flush);
      }
      lines += line;
      if (lines.length > MAX_UNWRITTEN) flush();
    },
  };
}

/** Looks at the fields of each line itself: pino's redaction by paths with wildcards costs four times as much. */
function redacted(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const shown = REDACTED_FIELDS.has(name) ? "[redacted]" : shownValue(value, depth - 1);
    if (shown !== value) (copy ??= { ...fields })[name] = shown;
  }
  return copy ?? fields;
}

function shownValue(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth === 0) return value;
  // Errors are redacted once they are serialized.
  if (value instanceof Error) return value;
  if (Array.isArray(value)) return value.map((item) => shownValue(item, depth));
  return redacted(value as Record<string, unknown>, depth);
}
