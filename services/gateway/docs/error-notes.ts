/** Reads error-notes.yaml: why each error code comes, and what to do. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { ErrorCode } from "../edge/validation/error-codes.ts";

/** The bodies are JSON as it is shown; `wrong` may be none. */
export type ErrorNote = {
  cause: string;
  remedy: string;
  to?: string;
  param?: string;
  message?: string;
  wrong?: string;
  right?: string;
};

export function errorNotes(): Readonly<Record<ErrorCode, ErrorNote>> {
  const file = new URL("./error-notes.yaml", import.meta.url);
  return parse(readFileSync(file, "utf8")) as Record<ErrorCode, ErrorNote>;
}
