/** The page of one operation or event as Markdown: the same as in HTML, without the form. */
import type { CodeSample } from "./code-samples.ts";
import type { Body, Operation, Parameter } from "./operations.ts";
import type { PackageUrls } from "./packages.ts";
import { withRunNotes } from "./run-notes.ts";
import type { Field } from "./schema.ts";

const LANGUAGES: Record<string, string> = { curl: "sh", TypeScript: "ts", Python: "python" };

/** `prefix` is that of all paths: `/v1`. The samples are Markdown. */
export function operationMarkdown(operation: Operation, prefix: string, samples: string): string {
  const { route, summary, description, parameters, body, successes, errors } = operation;
  const blocks = [
    `# ${summary}`,
    ...(route ? [`\`${route.method} ${prefix}${route.path}\``] : []),
    description,
    samples,
    ...(parameters.length > 0 ? ["## Parameters", parameterList(parameters)] : []),
    ...(body ? [`## ${route ? "Request body" : "Event"}`, ...bodyBlocks(body)] : []),
    ...(route ? successes : []).flatMap(({ status, description: text, body: answer }) => [
      `## Response ${status}`,
      text,
      ...(answer ? bodyBlocks(answer) : []),
    ]),
    ...(errors.length > 0 ? ["## Errors", errorList(operation)] : []),
  ];
  return `${blocks
    .map((block) => block.trimEnd())
    .filter(Boolean)
    .join("\n\n")}\n`;
}

/** The samples below their heading, and how to run them; empty where there are none. */
export function sampleBlocks(samples: readonly CodeSample[], packages: PackageUrls): string {
  if (samples.length === 0) return "";
  const blocks = ["## Samples", ...samples.map(sampleBlock)].join("\n\n");
  return withRunNotes(blocks, packages).trimEnd();
}

function sampleBlock({ label, source }: CodeSample): string {
  return fenced(`${LANGUAGES[label] ?? ""} ${label}`, source);
}

function parameterList(parameters: readonly Parameter[]): string {
  return parameters.map((parameter) => entry(parameter, `${parameter.in}, `, "")).join("\n");
}

function bodyBlocks({ type, fields, example }: Body): string[] {
  return [
    `\`${type}\``,
    fields.map((field) => entry(field, "", "")).join("\n"),
    ...(example === undefined ? [] : [fenced("json", JSON.stringify(example, undefined, 2))]),
  ];
}

/** An item of a list, with the fields of an object below it. */
function entry(field: Field, before: string, indent: string): string {
  const { name, type, isRequired, description, rules, fields } = field;
  const facts = [`${before}${type}${isRequired ? ", required" : ""}`, ...rules].join("; ");
  const deeper = `${indent}  `;
  const text = description.trim().replaceAll(/\n(?=[^\n])/g, `\n${deeper}`);
  return [
    `${indent}- \`${name}\` (${facts})${text === "" ? "" : `: ${text}`}`,
    ...fields.map((each) => entry(each, "", deeper)),
  ].join("\n");
}

function errorList({ errors }: Operation): string {
  return errors
    .map(
      ({ status, type, code, description }) =>
        `- ${status} [\`${code}\`](/docs/errors/${code}), \`${type}\`: ${description.trim()}`,
    )
    .join("\n");
}

export function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
