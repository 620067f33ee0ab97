/** The documentation as Markdown: guides, catalog, error codes, and a page for each operation and event. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { components } from "#gen/openapi/media.ts";
import typescriptPackage from "../../../clients/typescript/package.json" with { type: "json" };
import {
  operationNodes,
  type CodeEntry,
  type OpenApiDocument,
  type OperationNode,
} from "../edge/http/contract.ts";
import { modelsMarkdown, type TokenPrice } from "./models.ts";
import { markdownUrl, pageUrl, slugOf, type Page } from "./html.ts";
import { bodyOf, errorsMarkdown, isEvent, operationMarkdown, operationPath } from "./reference.ts";

type Model = components["schemas"]["Model"];

/** What an operator tells users; pages say what is absent. The contact is a mail address or a URL, the region words. */
export type Notices = Record<
  "supportContact" | "statusUrl" | "termsUrl" | "privacyUrl" | "dataRegion",
  string | undefined
>;

export type Settings = {
  prefix: string;
  /** Of the service. */
  origin: string;
  tokenPrice: TokenPrice | undefined;
  notices: Notices;
  /** The error codes of all documents. */
  codes: readonly CodeEntry[];
};

/** By the section of the navigation, in its order. */
const GUIDES: Readonly<Record<string, readonly string[]>> = {
  "Get started": ["quickstart", "api-keys", "test-mode"],
  Build: ["waiting", "idempotency", "files", "webhooks", "webhook-receivers", "streaming", "lists"],
  "Run in production": ["errors", "limits", "spending", "retention", "versions"],
  "Clients and tools": ["client", "client-typescript", "client-python", "ai-sdk", "mcp"],
  Migrate: ["openai", "replicate", "fal"],
  "This service": ["content-and-rights", "data-and-regions", "support-and-status"],
};

/** Guides that are the READMEs of packages, in which the service has an address of an example. */
const READMES: Readonly<Record<string, string>> = {
  "client-typescript": "../../../clients/typescript/README.md",
  "client-python": "../../../clients/python/README.md",
};
const EXAMPLE_ORIGIN = "https://media.example.com";

/** Of the clients, which have one version; as `scripts/client-packages.mjs` packs them. */
const { version } = typescriptPackage;
export const PACKAGES = {
  typescriptPackage: `media-generation-client-${version}.tgz`,
  aiSdkPackage: `media-generation-ai-sdk-${version}.tgz`,
  pythonPackage: `media_generation_client-${version}-py3-none-any.whl`,
};

/** A value in a file: its name, or also a sentence with # for the value and the one where it is absent. */
const VALUE = /\{\{(\w+)(?:: ([^|}]*) \| ([^}]*))?\}\}/g;

/** All pages in the order of the navigation, with these models in the catalog. */
export function pagesOf(
  document: OpenApiDocument,
  models: readonly Model[],
  { prefix, origin, tokenPrice, notices, codes }: Settings,
): Page[] {
  const baseUrl = `${origin}${prefix}`;
  const { info, components } = document;
  const completed = components.examples?.["VideoCompletedEvent"]?.value;
  const packageUrl = (file: string) => `${origin}/docs/packages/${file}`;
  const packages = Object.entries(PACKAGES).map(([name, file]) => [name, packageUrl(file)]);
  const values: Record<string, string | undefined> = {
    ...info,
    ...Object.fromEntries(packages),
    ...notices,
    origin,
    baseUrl,
    completedEvent: JSON.stringify(completed, undefined, 2),
  };
  const read = (file: string) =>
    readFileSync(new URL(file, import.meta.url), "utf8").replaceAll(
      VALUE,
      (all, name: string, named?: string, absent?: string) => {
        const value = values[name];
        if (named === undefined) return value ?? all;
        return value ? named.replace("#", () => value) : (absent ?? "");
      },
    );
  // Those that several guides have.
  for (const kind of ["video", "image"]) values[`${kind}Samples`] = read(`./samples/${kind}.md`);
  const guides = Object.entries(GUIDES).flatMap(([section, names]) =>
    names.map((name) => {
      const source = read(READMES[name] ?? `./guides/${name}.md`);
      return pageOf(`guides/${name}`, section, source.replaceAll(EXAMPLE_ORIGIN, origin));
    }),
  );
  const operations = [...operationNodes(document), ...operationNodes(document, "webhooks")];
  const references = operations.map((operation) => {
    const { method, path, tags } = operation;
    const shown = withGuides(operation, guides);
    const source = operationMarkdown(shown, document["x-error-codes"], { prefix, baseUrl });
    const note = isEvent(operation) ? undefined : `${method} ${prefix}${path}`;
    return { ...pageOf(operationPath(operation), `API: ${tags[0]}`, source), note };
  });
  const fieldsOf = (name: string) => {
    const { requestBody } = operations.find(({ operationId }) => operationId === name) ?? {};
    return bodyOf(requestBody?.content)?.fields ?? [];
  };
  const fields = {
    video: fieldsOf("createVideoGeneration"),
    image: fieldsOf("createImageGeneration"),
  };
  const catalog = modelsMarkdown(read("./models.md"), models, fields, { baseUrl, tokenPrice });
  return [
    { ...pageOf("", "Get started", read("./introduction.md")), title: "Introduction" },
    ...guides,
    pageOf("models", "Models and errors", catalog),
    pageOf("errors", "Models and errors", errorsMarkdown(codes)),
    ...references,
  ];
}

function pageOf(path: string, section: string, source: string): Page {
  return { path, title: /^# (.*)$/m.exec(source)?.[1] ?? "", section, source };
}

/** Its description ends with the guides that link to it. */
function withGuides(operation: OperationNode, guides: readonly Page[]): OperationNode {
  const url = pageUrl(operationPath(operation));
  const links = guides
    .filter(({ source }) => source.includes(`(${url})`) || source.includes(`(${url}#`))
    .map(({ path, title }) => `[${title}](${pageUrl(path)})`);
  if (links.length === 0) return operation;
  const { description = "" } = operation;
  return { ...operation, description: `${description}\n\nGuides: ${links.join(", ")}.` };
}

export function markdownOf({ source }: Page): string {
  return source.replaceAll(
    /\]\(\/docs(?:\/([^)#]+))?(#[^)]*)?\)/g,
    (_link, path = "", heading = "") => `](${markdownUrl(path)}${heading})`,
  );
}

/** A page, or a part of it that has a heading, as the search has it. */
export type SearchEntry = ReturnType<typeof searchEntries>[number];

const NAME = /^ *- `([^`]+)`|^###+ (.*)$|^\| (`[^|]+)/gm;

export function searchEntries(pages: readonly Page[]) {
  const file = readFileSync(new URL("./search-words.yaml", import.meta.url), "utf8");
  const words = parse(file) as Record<string, string>;
  return pages.flatMap(({ path, title, source }) =>
    source.split(/^(?=## )/m).map((part) => {
      const heading = /^## (.*)/.exec(part)?.[1];
      const id = heading === undefined ? path : `${path}#${slugOf(heading)}`;
      const blocks = part.replace(/^##? .*$/m, "").split(/^```.*$/m);
      const every = (second: number) => blocks.filter((_, at) => at % 2 === second).join("\n");
      return {
        url: pageUrl(id).replace("/#", "#"),
        title: heading === undefined ? title : `${title}: ${plain(heading)}`,
        /** Those that readers have for it. */
        words: words[id] ?? "",
        /** Of its fields, of the rows of its tables, and of the parts that it has itself. */
        names: [...every(0).matchAll(NAME)].map(([, ...names]) => names.join("")).join(" "),
        text: plain(every(0)),
        /** Samples, where words count least. */
        code: every(1).replaceAll(/\s+/g, " ").trim(),
      };
    }),
  );
}

/** Markdown in one line, without its marks. */
function plain(source: string): string {
  return source
    .replaceAll(/\[([^\][]*)\]\([^()]*\)/g, "$1")
    .replaceAll(/^ *(?:#+|-|\d+\.) |^\|[-|: ]+\|$/gm, "")
    .replaceAll(/\*\*|`/g, "")
    .replaceAll(/[\s|]+/g, " ")
    .trim();
}

/** `/llms.txt` (llmstxt.org): for agents, what the service is and where each page is as Markdown. */
export function llmsText(
  document: OpenApiDocument,
  pages: readonly Page[],
  { prefix, origin }: Settings,
): string {
  const { info } = document;
  const sections = [...Map.groupBy(pages, ({ section }) => section)].map(([section, members]) => {
    const links = members.map(
      ({ path, title, note }) =>
        `- [${title}](${origin}${markdownUrl(path)})${note === undefined ? "" : `: ${note}`}`,
    );
    return `## ${section}\n\n${links.join("\n")}`;
  });
  const blocks = [
    `# ${info.title}`,
    `> ${info.summary}`,
    `The API is at ${origin}${prefix}, its OpenAPI document at ${origin}/openapi.json and ${origin}/openapi.yaml.`,
    `Agents can use it by MCP at ${origin}/mcp (Streamable HTTP, with an API key as Bearer token).`,
    `All pages below in one file: ${origin}/llms-full.txt.`,
    ...sections,
  ];
  return `${blocks.join("\n\n")}\n`;
}
