/** Structured logs: one pino logger per service, with secrets and prompts kept out of it. */
import { pino } from "pino";
import type { DestinationStream, Logger } from "pino";

export type Log = Logger;

const NEVER_LOGGED = [
  "prompt",
  "negative_prompt",
  "secret",
  "token",
  "password",
  "authorization",
  "cookie",
];

/** A logger for one service, or for a process of several; by default it writes to standard output. */
export function createLog(
  service: string | undefined,
  level = "info",
  destination?: DestinationStream,
): Log {
  const paths = NEVER_LOGGED.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  const options = {
    level,
    base: service === undefined ? {} : { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: "[redacted]" },
  };
  return destination ? pino(options, destination) : pino(options);
}
