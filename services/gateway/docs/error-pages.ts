/** A page for each error code: why it comes, what to do, an example, and which operations answer with it. `doc_url` leads there. */
import type { ErrorCode } from "../edge/validation/error-codes.ts";
import type { CodeEntry, OpenApiDocument } from "../edge/http/contract.ts";
import { errorNotes, type ErrorNote } from "./error-notes.ts";
import { fenced } from "./operation-markdown.ts";
import { operationPath, type Operation } from "./operations.ts";

/** Below /docs. */
export function errorPath(code: ErrorCode): string {
  return `errors/${code}`;
}

export type ErrorPage = { code: ErrorCode; statuses: string[]; text: string; source: string };

type Problem = { code: ErrorCode; type: string; message: string; param?: string };

const REQUEST_ID = "req_24cs2nc9fwy0sqjckkszdxz8dj";
const USUAL_OPERATION = "POST /videos/generations";

/** In the order of the document's table. `origin` is that of the service. */
export function errorPagesOf(
  document: OpenApiDocument,
  operations: readonly Operation[],
  origin: string,
): ErrorPage[] {
  const notes = errorNotes();
  const examples = examplesOf(document);
  const groups = Map.groupBy(document["x-error-codes"], ({ code }) => code);
  return [...groups].map(([code, entries]) => {
    const note = notes[code];
    const answering = operations.filter(({ errors }) =>
      errors.some((entry) => entry.code === code),
    );
    const problems = entries.map((entry) => problemOf(entry, note, examples));
    const blocks = [
      `# \`${code}\``,
      ...entries.map(meaning),
      "## Why it happens",
      note.cause,
      "## What to do",
      note.remedy,
      ...exampleBlocks(note, problems, `${origin}/docs/${errorPath(code)}`),
      ...(answering.length > 0 ? ["## Operations that return it", list(answering)] : []),
      "The format of errors, and how to catch them in TypeScript and Python, is in [Errors](/docs/guides/errors).",
    ];
    const described = entries.map(({ description }) => description);
    const statuses = entries.map(({ status }) => String(status));
    const text = [code, ...described, note.cause, note.remedy].join(" ");
    return { code, statuses, text, source: `${blocks.join("\n\n")}\n` };
  });
}

function meaning({ status, type, description }: CodeEntry): string {
  return `**${status}, \`${type}\`.** ${description.trim()}`;
}

/** What the service answers to the wrong request; else the document's example of the error, or what the service says where it knows no more than the code. */
function problemOf(
  { code, type, description }: CodeEntry,
  { param, message }: ErrorNote,
  examples: readonly Problem[],
): Problem {
  if (message !== undefined) return { type, code, message, ...(param && { param }) };
  const known = examples.find(
    (each) => each.code === code && each.type === type && (!param || each.param === param),
  );
  return known ?? { type, code, message: description.trim(), ...(param && { param }) };
}

function examplesOf(document: OpenApiDocument): Problem[] {
  const { responses } = document.components as unknown as {
    responses: Record<string, { content: { "application/json": { examples: object } } }>;
  };
  return Object.values(responses).flatMap(({ content }) =>
    Object.values(content["application/json"].examples as Record<string, Example>).map(
      ({ value }) => value.error,
    ),
  );
}

type Example = { value: { error: Problem } };

function exampleBlocks(note: ErrorNote, problems: readonly Problem[], docUrl: string): string[] {
  const { wrong, right, to = USUAL_OPERATION } = note;
  const answers = problems.map((problem) => {
    const error = { ...problem, doc_url: docUrl, request_id: REQUEST_ID };
    return fenced("json", JSON.stringify({ error }, undefined, 2));
  });
  if (wrong === undefined || right === undefined) return ["## Example response", ...answers];
  return [
    "## Example",
    `This body of \`${to}\`:`,
    fenced("json", wrong),
    "is answered:",
    ...answers.slice(0, 1),
    "The corrected request:",
    fenced("json", right),
  ];
}

function list(operations: readonly Operation[]): string {
  return operations
    .map((operation) => `- [${operation.summary}](/docs/${operationPath(operation)})`)
    .join("\n");
}
