/** The documentation as pages, in HTML and Markdown: guides, models, and one for each operation, event and error code of the document. */
import { readFileSync } from "node:fs";
import type { components } from "#gen/openapi/media.ts";
import type { OpenApiDocument } from "../edge/http/contract.ts";
import { operationSamples } from "./code-samples.ts";
import { errorPagesOf, errorPath } from "./error-pages.ts";
import { markdown, type Html } from "./html.ts";
import { modelMarkdown } from "./model-page.ts";
import { modelPath, modelsMarkdown } from "./models-page.ts";
import { operationMarkdown, sampleBlocks } from "./operation-markdown.ts";
import { operationPage } from "./operation-page.ts";
import { packageUrls, type PackageUrls } from "./packages.ts";
import { operationPath, operationsOf, type Operation } from "./operations.ts";
import { withRunNotes } from "./run-notes.ts";
import type { Field } from "./schema.ts";
import type { TokenPrice } from "./tokens-text.ts";

type Model = components["schemas"]["Model"];

export type Page = {
  /** Below /docs; empty for the first page. */
  path: string;
  title: string;
  /** What kind of page it is, as search results show it. */
  group: string;
  /** The section of the navigation that it is in, where that is not its group. */
  section?: string;
  /** Words of the page to search for, without markup. */
  text: string;
  /** What counts as its headings in a search, where these are not those of the content. */
  names?: readonly string[];
  content: Html;
  /** The same as Markdown. */
  source: string;
  /** What it is, where the title does not say it. */
  note?: string;
};

export type Site = {
  /** The pages that are always the same, in the order of the navigation. */
  pages: readonly Page[];
  /** All pages, with the catalog and a page for each of its models where it is in the navigation. */
  withModels: (models: readonly Model[]) => Page[];
};

const MODELS_PATH = "models";
/** Its pages are many, and found from elsewhere: the navigation has them folded. */
export const ERRORS_GROUP = "Error codes";

/** By the section of the navigation, in its order. */
const GUIDES: Readonly<Record<string, readonly string[]>> = {
  "Get started": ["quickstart", "api-keys", "test-mode"],
  Build: ["waiting", "idempotency", "files", "webhooks", "webhook-receivers", "streaming", "lists"],
  "Run in production": ["errors", "limits", "spending", "retention", "versions"],
  "Clients and tools": ["client", "ai-sdk", "mcp"],
  Migrate: ["openai", "replicate", "fal"],
};

type Settings = { prefix: string; baseUrl: string; tokenPrice: TokenPrice | undefined };

/** `baseUrl` includes the prefix. */
export function siteOf(document: OpenApiDocument, settings: Settings): Site {
  const { prefix, baseUrl, tokenPrice } = settings;
  const packages = packageUrls(originOf(document, baseUrl));
  const guides = Object.entries(GUIDES).flatMap(([section, names]) =>
    names.map((name) => ({ ...guidePage(document, name, baseUrl, packages), section })),
  );
  const documented = operationsOf(document);
  const operations = documented.map((operation) => {
    const shown = withGuides(operation, guides);
    const samples = sampleBlocks(operationSamples(operation, baseUrl), packages);
    return {
      path: operationPath(operation),
      title: operation.summary,
      group: operation.tag,
      section: `API: ${operation.tag}`,
      text: textOf(operation),
      names: (operation.body?.fields ?? []).map(({ name }) => name),
      content: operationPage(shown, prefix, samples),
      source: linkedMarkdown(operationMarkdown(shown, prefix, samples)),
      ...(operation.route && {
        note: `${operation.route.method} ${prefix}${operation.route.path}`,
      }),
    };
  });
  const errors = errorPagesOf(document, documented, originOf(document, baseUrl)).map(
    ({ code, statuses, text, source }) =>
      pageOf({
        path: errorPath(code),
        title: code,
        group: ERRORS_GROUP,
        names: statuses,
        text,
        source,
      }),
  );
  const before = [introduction(document, baseUrl), ...guides];
  const after = [...operations, ...errors];
  return {
    pages: [...before, catalogPage([], tokenPrice), ...after],
    withModels: (models) => {
      const each = models.map((model) =>
        modelPage(model, models, documented, { ...settings, packages }),
      );
      return [...before, catalogPage(models, tokenPrice), ...each, ...after];
    },
  };
}

/** The pages by the section of the navigation. */
export function sectionsOf(pages: readonly Page[]): Map<string, Page[]> {
  return Map.groupBy(pages, ({ group, section = group }) => section);
}

/** Where a page is, as HTML. */
export function pageUrl(path: string): string {
  return path === "" ? "/docs" : `/docs/${path}`;
}

/** Where a page is, as Markdown. */
export function markdownUrl(path: string): string {
  return `/docs/${path === "" ? "index" : path}.md`;
}

/** A page that is Markdown. */
export function pageOf(page: Omit<Page, "content">): Page {
  return { ...page, content: markdown(page.source), source: linkedMarkdown(page.source) };
}

/** Links to pages lead to their Markdown. */
function linkedMarkdown(source: string): string {
  return source.replaceAll(
    /\]\(\/docs(?:\/([^)#]+))?(#[^)]*)?\)/g,
    (_link, path = "", heading = "") => `](${markdownUrl(path)}${heading})`,
  );
}

function introduction(document: OpenApiDocument, baseUrl: string): Page {
  const info = infoOf(document);
  const file = readFileSync(new URL("./introduction.md", import.meta.url), "utf8");
  const source = filled(file, { ...addresses(document, baseUrl), ...info });
  const [section = ""] = Object.keys(GUIDES);
  return pageOf({
    path: "",
    title: "Introduction",
    group: "Guides",
    section,
    text: source,
    source,
  });
}

type Info = Record<"title" | "summary" | "description" | "version", string>;

function infoOf(document: OpenApiDocument): Info {
  return (document as unknown as { info: Info }).info;
}

function completedEvent(document: OpenApiDocument): string {
  const { examples } = document.components as unknown as {
    examples: Record<"VideoCompletedEvent", { value: object }>;
  };
  return JSON.stringify(examples.VideoCompletedEvent.value, undefined, 2);
}

function guidePage(
  document: OpenApiDocument,
  name: string,
  baseUrl: string,
  packages: PackageUrls,
): Page {
  const file = new URL(`./guides/${name}.md`, import.meta.url);
  const template = readFileSync(file, "utf8");
  const values = {
    ...addresses(document, baseUrl),
    version: infoOf(document).version,
    completedEvent: completedEvent(document),
  };
  const whole = filled(template, { ...values, errorCodes: errorTable(document) });
  const source = withRunNotes(whole, packages);
  // Each code has a page of its own, which a search is to find.
  const text = filled(template, { ...values, errorCodes: "" });
  const title = /^# (.*)$/m.exec(source)?.[1] ?? name;
  return pageOf({ path: `guides/${name}`, title, group: "Guides", text, source });
}

function originOf(document: OpenApiDocument, baseUrl: string): string {
  return baseUrl.slice(0, -document.servers[0].url.length);
}

/** The values of the names that guides and samples have in double braces. */
function addresses(document: OpenApiDocument, baseUrl: string): Record<string, string> {
  const origin = originOf(document, baseUrl);
  return { baseUrl, origin, ...packageUrls(origin) };
}

/** The text with a value in place of each name in double braces. */
function filled(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] ?? all);
}

function catalogPage(models: readonly Model[], tokenPrice: TokenPrice | undefined): Page {
  const source = modelsMarkdown(models, tokenPrice);
  const title = "Models and prices";
  const section = "Models";
  return pageOf({ path: MODELS_PATH, title, group: "Guides", section, text: source, source });
}

function modelPage(
  model: Model,
  models: readonly Model[],
  operations: readonly Operation[],
  settings: Settings & { packages: PackageUrls },
): Page {
  const { id, kind } = model;
  const name = kind === "video" ? "VideoGeneration" : "ImageGeneration";
  const named = (operationId: string) =>
    operations.find((operation) => operation.id === operationId) as Operation;
  const used = { create: named(`create${name}`), retrieve: named(`retrieve${name}`) };
  const source = modelMarkdown(model, models, used, settings);
  return pageOf({ path: modelPath(id), title: id, group: "Models", text: source, source });
}

/** Its description ends with the guides that link to it. */
function withGuides(operation: Operation, guides: readonly Page[]): Operation {
  const link = `(${markdownUrl(operationPath(operation))}`;
  const links = guides
    .filter(({ source }) => source.includes(link))
    .map(({ path, title }) => `[${title}](${pageUrl(path)})`);
  if (links.length === 0) return operation;
  return { ...operation, description: `${operation.description}\n\nGuides: ${links.join(", ")}.` };
}

function errorTable(document: OpenApiDocument): string {
  const rows = document["x-error-codes"].map(
    ({ status, type, code, description }) =>
      `| ${status} | \`${type}\` | [\`${code}\`](${pageUrl(errorPath(code))}) | ${description} |`,
  );
  return ["| Status | Type | Code | What to do |", "|---|---|---|---|", ...rows].join("\n");
}

function textOf({ id, route, description, parameters, body, errors }: Operation): string {
  const textOfFields = (fields: readonly Field[]) =>
    fields.flatMap(({ name, description: meaning, rules }) => [name, meaning, ...rules]).join(" ");
  return [
    `${description} ${id} ${route?.method} ${route?.path}`,
    `## Parameters\n${textOfFields(parameters)}`,
    `## Body\n${textOfFields(body?.fields ?? [])}`,
    `## Errors\n${errors.map(({ code }) => code).join(" ")}`,
  ].join("\n");
}
