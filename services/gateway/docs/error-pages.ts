/** A page for each error code: what it means, what to do, and which operations answer with it. `doc_url` leads there. */
import type { ErrorCode } from "../edge/validation/error-codes.ts";
import type { CodeEntry, OpenApiDocument } from "../edge/http/contract.ts";
import { operationPath, type Operation } from "./operations.ts";

/** Below /docs. */
export function errorPath(code: ErrorCode): string {
  return `errors/${code}`;
}

export type ErrorPage = { code: ErrorCode; text: string; source: string };

/** In the order of the document's table. */
export function errorPagesOf(
  document: OpenApiDocument,
  operations: readonly Operation[],
): ErrorPage[] {
  const groups = Map.groupBy(document["x-error-codes"], ({ code }) => code);
  return [...groups].map(([code, entries]) => {
    const answering = operations.filter(({ errors }) =>
      errors.some((entry) => entry.code === code),
    );
    const blocks = [
      `# \`${code}\``,
      ...entries.map(meaning),
      ...(answering.length > 0 ? ["## Operations that answer it", list(answering)] : []),
      "The format of errors is in [Errors](/docs/guides/errors).",
    ];
    const text = [code, ...entries.map(({ description }) => description)].join(" ");
    return { code, text, source: `${blocks.join("\n\n")}\n` };
  });
}

function meaning({ status, type, description }: CodeEntry): string {
  return `**${status}, \`${type}\`.** ${description.trim()}`;
}

function list(operations: readonly Operation[]): string {
  return operations
    .map((operation) => `- [${operation.summary}](/docs/${operationPath(operation)})`)
    .join("\n");
}
