/** The exit code and the error text of a run. */
import { CommanderError } from "commander";
import { ApiError, ArgumentError, ConnectionError } from "../index.ts";
import { SaveError, UsageError } from "./cli-errors.ts";

export const EXIT = {
  done: 0,
  failed: 1,
  refused: 2,
  unreachable: 3,
  stopped: 130,
} as const;

/** The exit code for an error; undefined for an unexpected one. */
export function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.refused;
  if (error instanceof UsageError || error instanceof ArgumentError) return EXIT.refused;
  if (error instanceof ConnectionError || error instanceof SaveError) return EXIT.unreachable;
  if (!(error instanceof ApiError)) return undefined;
  if (isFailedImage(error)) return EXIT.failed;
  return error.status < 500 ? EXIT.refused : EXIT.unreachable;
}

/** What went wrong and what to do; undefined where commander has already printed it. */
export function errorText(error: unknown): string | undefined {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof ConnectionError) {
    return `${error.message}\nIf you run the service yourself: npm start starts it.`;
  }
  if (!(error instanceof ApiError)) return (error as Error).message;
  if (isFailedImage(error)) {
    return `failed (${error.code}): ${error.message}\nNothing is charged.`;
  }
  const faults = error.errors.length > 0 ? error.errors : [error];
  const lines = faults.map(({ param, message }) =>
    param === undefined ? message : `${param}: ${message}`,
  );
  const request = error.status >= 500 && error.requestId ? [`Request ${error.requestId}.`] : [];
  return [...lines, ...request].join("\n");
}

function isFailedImage({ type, code }: ApiError): boolean {
  return type === "generation_error" && code !== "generation_timeout";
}
