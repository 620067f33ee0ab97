/** Structured logs: one pino logger for each service, with secrets and prompts redacted. */
import { pino } from "pino";
import type { DestinationStream, Logger } from "pino";

export type Log = Logger;

const REDACTED_FIELDS = [
  "prompt",
  "negative_prompt",
  "secret",
  "token",
  "password",
  "authorization",
  "cookie",
];

/** A logger of one service, or of a process with several (`service` undefined). The default is standard output. */
export function createLog(
  service: string | undefined,
  level = "info",
  destination?: DestinationStream,
): Log {
  const paths = REDACTED_FIELDS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  const options = {
    level,
    base: service === undefined ? {} : { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: "[redacted]" },
  };
  return destination ? pino(options, destination) : pino(options);
}
