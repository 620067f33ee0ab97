/** The exit code of a run. */
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
  if (isFailedGeneration(error)) return EXIT.failed;
  return error.status < 500 ? EXIT.refused : EXIT.unreachable;
}

/** It will stay failed; one that timed out may still end. */
export function isFailedGeneration({ type, code }: ApiError): boolean {
  return type === "generation_error" && code !== "generation_timeout";
}
