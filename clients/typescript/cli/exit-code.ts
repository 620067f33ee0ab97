/** The exit code of a run, and the code of its error for programs. */
import { CommanderError } from "commander";
import { ApiError, ArgumentError, ConnectionError, TimeoutError } from "../index.ts";
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
  if (isFailedGeneration(error)) return EXIT.failed;
  return error.status < 500 ? EXIT.refused : EXIT.unreachable;
}

/** The code of an error: the API's, or one of the command line's own. */
export function errorCodeOf(error: unknown, { isStopped }: { isStopped: boolean }): string {
  if (isStopped) return "stopped";
  if (error instanceof ApiError) return error.code;
  if (error instanceof TimeoutError) return "timeout";
  if (error instanceof ConnectionError) return "connection_error";
  if (error instanceof SaveError) return "save_error";
  return exitCodeOf(error) === EXIT.refused ? "usage_error" : "unexpected_error";
}

/** It will stay failed; one that timed out may still end. */
export function isFailedGeneration({ type, code }: ApiError): boolean {
  return type === "generation_error" && code !== "generation_timeout";
}
