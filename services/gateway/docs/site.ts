/** The documentation as pages, in HTML and Markdown: guides, models, and one for each operation, event and error code of the document. */
import { readFileSync } from "node:fs";
import type { OpenApiDocument } from "../edge/http/contract.ts";
import { errorPagesOf, errorPath } from "./error-pages.ts";
import { html, markdown, type Html } from "./html.ts";
import { operationMarkdown } from "./operation-markdown.ts";
import { operationPage } from "./operation-page.ts";
import { operationPath, operationsOf, type Operation } from "./operations.ts";

export type Page = {
  /** Below /docs; empty for the first page. */
  path: string;
  title: string;
  /** The group of the navigation that it is in. */
  group: string;
  /** Words of the page to search for, without markup. */
  text: string;
  content: Html;
  /** The same as Markdown. */
  source: string;
  /** What it is, where the title does not say it. */
  note?: string;
};

export const MODELS_PATH = "models";
/** Its pages are many, and found from elsewhere: the navigation has them folded. */
export const ERRORS_GROUP = "Error codes";

const GUIDES = [
  "quickstart",
  "idempotency",
  "files",
  "webhooks",
  "errors",
  "limits",
  "spending",
  "test-mode",
  "client",
  "ai-sdk",
  "openai",
  "mcp",
];

/** The pages in the order of the navigation. The document has its code samples; `baseUrl` includes the prefix. */
export function pagesOf(
  document: OpenApiDocument,
  { prefix, baseUrl }: { prefix: string; baseUrl: string },
): Page[] {
  const guides = GUIDES.map((name) => guidePage(document, name, baseUrl));
  const models = {
    path: MODELS_PATH,
    title: "Models and prices",
    group: "Guides",
    text: "catalog",
  };
  const documented = operationsOf(document);
  const operations = documented.map((operation) => ({
    path: operationPath(operation),
    title: operation.summary,
    group: operation.tag,
    text: textOf(operation),
    content: operationPage(operation, prefix),
    source: linkedMarkdown(operationMarkdown(operation, prefix)),
    ...(operation.route && { note: `${operation.route.method} ${prefix}${operation.route.path}` }),
  }));
  const errors = errorPagesOf(document, documented).map(({ code, text, source }) => ({
    path: errorPath(code),
    title: code,
    group: ERRORS_GROUP,
    text,
    content: markdown(source),
    source: linkedMarkdown(source),
  }));
  // The catalog is read when the page is.
  const empty = { content: html``, source: "" };
  return [introduction(document), ...guides, { ...models, ...empty }, ...operations, ...errors];
}

/** Where a page is, as HTML. */
export function pageUrl(path: string): string {
  return path === "" ? "/docs" : `/docs/${path}`;
}

/** Where a page is, as Markdown. */
export function markdownUrl(path: string): string {
  return `/docs/${path === "" ? "index" : path}.md`;
}

/** Links to pages lead to their Markdown. */
function linkedMarkdown(source: string): string {
  return source.replaceAll(
    /\]\(\/docs(?:\/([^)#]+))?(#[^)]*)?\)/g,
    (_link, path = "", heading = "") => `](${markdownUrl(path)}${heading})`,
  );
}

function introduction(document: OpenApiDocument): Page {
  const { title, description, version } = (
    document as unknown as { info: Record<"title" | "description" | "version", string> }
  ).info;
  const source = `# ${title}

${description}
The document itself: [openapi.yaml](/openapi.yaml), [openapi.json](/openapi.json), version ${version}. These pages as
Markdown, for agents: [llms.txt](/llms.txt).
`;
  return {
    path: "",
    title: "Introduction",
    group: "Guides",
    text: description,
    content: markdown(source),
    source,
  };
}

function guidePage(document: OpenApiDocument, name: string, baseUrl: string): Page {
  const file = new URL(`./guides/${name}.md`, import.meta.url);
  const source = readFileSync(file, "utf8")
    .replaceAll("{{baseUrl}}", baseUrl)
    .replaceAll("{{origin}}", baseUrl.slice(0, -document.servers[0].url.length))
    .replaceAll("{{errorCodes}}", () => errorTable(document));
  const title = /^# (.*)$/m.exec(source)?.[1] ?? name;
  return {
    path: `guides/${name}`,
    title,
    group: "Guides",
    text: source,
    content: markdown(source),
    source: linkedMarkdown(source),
  };
}

function errorTable(document: OpenApiDocument): string {
  const rows = document["x-error-codes"].map(
    ({ status, type, code, description }) =>
      `| ${status} | \`${type}\` | [\`${code}\`](${pageUrl(errorPath(code))}) | ${description} |`,
  );
  return ["| Status | Type | Code | What to do |", "|---|---|---|---|", ...rows].join("\n");
}

function textOf({ id, route, description, parameters, body, errors }: Operation): string {
  const fields = [...parameters, ...(body?.fields ?? [])].map(({ name }) => name);
  const codes = errors.map(({ code }) => code);
  return [id, route?.method, route?.path, description, ...fields, ...codes].join(" ");
}
