/** Structured logs: JSON lines of listed fields, with the request and the trace that they belong to. */
import { pino, type DestinationStream } from "pino";
import { listedFields, type LogFields } from "./log-fields.ts";
import { recordedTraceId, workContext } from "./work-context.ts";

type Write = (fields: LogFields, message: string) => void;

export type Log = Record<"debug" | "info" | "warn" | "error" | "fatal", Write> & {
  /** The same log, with the service on every line. */
  child: (bindings: { service: string }) => Log;
};

const STANDARD_OUTPUT = 1;
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;

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
    mixin: contextFields,
    formatters: { level: (label: string) => ({ level: label }), log: listedFields },
    // What is listed has been made plain already.
    serializers: { err: (error: unknown) => error },
  };
  return pino(options, destination);
}

function contextFields(): object {
  const { requestId, traceparent } = workContext();
  const traceId = recordedTraceId(traceparent);
  return {
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(traceId === undefined ? {} : { trace_id: traceId }),
  };
}

/**
 * A file, or a descriptor. The lines of one turn of the event loop are written together at its end, or when the process
 * ends normally, by `process.exit` or by an exception; only a kill loses them. Writes wait for a full pipe's reader.
 */
export function logDestination(dest: string | number): DestinationStream {
  const stream = pino.destination({ dest, sync: true, mode: 0o600 });
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

/** The last line of a process that ends by a fault: JSON like every other, and written before the process is gone. */
export function logCrash(error: unknown, message: string): void {
  createLog(undefined).fatal({ err: error }, message);
}

/** From now on an uncaught exception ends the process with such a line. */
export function endOnUncaught(): void {
  process.on("uncaughtException", (error) => {
    logCrash(error, "uncaught exception; the process ends");
    process.exit(1);
  });
}
