/** Serves the documentation below /docs, as HTML and as Markdown. */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path/posix";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import MiniSearch from "minisearch";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Deps } from "../edge/operations/deps.ts";
import { presentModel, withTaken } from "../edge/operations/models.ts";
import type { Contract } from "../edge/http/contract.ts";
import { contentOf, sendContent, type Content } from "../edge/http/content.ts";
import { Problem } from "../edge/http/problem.ts";
import { layout, markdownUrl, pageUrl, type Page } from "./html.ts";
import { ELSEWHERE, searchOf } from "./files/search.js";
import {
  llmsText,
  markdownOf,
  type Notices,
  PACKAGES,
  pagesOf,
  type SearchEntry,
  searchEntries,
} from "./site.ts";

const FILES = ["page.js", "search.js", "page.css", "icon.svg", "minisearch.js"];
const MINISEARCH = import.meta.resolve("minisearch");

/** Allows nothing inline and no other origin: markup injected into a description cannot run or send anything. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/** What needs a key or a session is nothing to be found by a search. */
const ROBOTS =
  "User-agent: *\nDisallow: /\nAllow: /docs\nAllow: /llms.txt\nAllow: /llms-full.txt\n";

/** An account that nobody has: its prices are the list prices. */
const NO_ACCOUNT = `acct_${"0".repeat(26)}`;

type DocsDeps = Deps & { notices: Notices; openaiContract: Contract };

export function docs(deps: DocsDeps): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.addHook("onRequest", async (_request, reply) => void reply.headers(HEADERS));
    for (const name of FILES) {
      const path = name === "minisearch.js" ? MINISEARCH : `./files/${name}`;
      const file = once(() => contentOf(readFileSync(new URL(path, import.meta.url)), name));
      app.get(`/docs/files/${name}`, async (request, reply) => sendContent(request, reply, file()));
    }
    for (const file of Object.values(PACKAGES)) {
      const packed = new URL(`../../../clients/packages/${file}`, import.meta.url);
      app.get(`/docs/packages/${file}`, async (request, reply) => {
        const content = await readFile(packed).catch(() => undefined);
        if (!content) throw new Problem("route_not_found");
        return sendContent(request, reply, contentOf(content, file));
      });
    }
    app.get("/favicon.ico", async (_request, reply) => reply.redirect("/docs/files/icon.svg"));
    app.get("/robots.txt", async (_request, reply) =>
      reply.type("text/plain; charset=utf-8").send(ROBOTS),
    );
    // Made at the first request: the public URL is known only once the port is open.
    const withoutModels = once(() => editionOf(deps, []));
    const current = currentEdition(deps);
    // Only these depend on the catalog: other pages need no call.
    const editionFor = async (url: string): Promise<Edition> => {
      const hasModels = WITH_ALL_PAGES.some((one) => one === url) || /^\/docs\/models\b/i.test(url);
      if (hasModels) return current();
      if (/^\/docs\/reference\/\S*(generation|video|image)/i.test(url))
        return current().catch(withoutModels);
      return withoutModels();
    };
    const show = async (request: FastifyRequest, reply: FastifyReply) => {
      const [path = ""] = request.url.split("?");
      const url = decodeURIComponent(path);
      const { pages, contents, notFound } = await editionFor(url);
      const content = contents.get(url)?.();
      if (!content) {
        const other = redirectOf(url, pages);
        if (other !== undefined) return reply.redirect(other);
        if (/\.(?!md$)\w+$/.test(url)) throw new Problem("route_not_found");
        return sendContent(request, reply.code(404), notFound(url));
      }
      const page = pages.find(({ path }) => pageUrl(path) === url);
      if (page) {
        const source = `<${markdownUrl(page.path)}>; rel="alternate"; type="text/markdown"`;
        void reply.header("link", source);
      }
      return sendContent(request, reply, content);
    };
    for (const path of ["/docs", "/docs/*", "/llms.txt", "/llms-full.txt"]) app.get(path, show);
  };
}

/** The page for an address that is a page's in another form, a folder of pages, or names a code or a model. */
function redirectOf(url: string, pages: readonly Page[]): string | undefined {
  const [, kind, name = ""] = /^\/docs\/(errors|models)\/([\w.-]+?)(?:\.md)?$/.exec(url) ?? [];
  if (kind && pages.some(({ source }) => source.includes(`\n## \`${name}\`\n`)))
    return `${pageUrl(kind)}#${name}`;
  const urlOf = url.endsWith(".md") ? markdownUrl : pageUrl;
  const asked = url.replace(/(?<!\/)\/+$|(?:\/index)?\.html$/i, "").toLowerCase();
  const page =
    pages.find(({ path }) => urlOf(path).toLowerCase() === asked) ??
    pages.find(({ path }) => path.startsWith(`${asked.slice("/docs/".length)}/`));
  return page && urlOf(page.path);
}

/** More of an address is not searched for. */
const MAX_SEARCHED = 100;

/**
 * Finds the page whose address ends so, else a main page whose title begins so, else a page or a part whose title, other
 * words or names have all words of it.
 */
function placeFinder(pages: readonly Page[]) {
  const isPartOfOperation = ({ url }: SearchEntry) =>
    url.startsWith("/docs/reference/") && url.includes("#");
  const shown = searchEntries(pages).filter((entry) => !isPartOfOperation(entry));
  const entries = shown.map((entry) => ({ ...entry, text: "", code: "" }));
  const search = searchOf(MiniSearch, entries);
  const named = new Map(entries.map((entry) => [basename(entry.url), entry]));
  return (url: string) => {
    const asked = url.replaceAll(/^\/docs\/(?:(?:guides|reference)\/)?|(?<!\/)\/+$|\.md$/g, "");
    const name = basename(asked).toLowerCase();
    const start = name.replaceAll("-", " ");
    const main = ELSEWHERE.find(({ title }) => title.toLowerCase().startsWith(start));
    const others = () => search(asked.slice(0, MAX_SEARCHED), { needsAll: true });
    return named.get(name) ?? main ?? others()[0];
  };
}

/** What is shown where there is no page, by its address: one for each page or part of one that is meant. */
function notFoundPages(pages: readonly Page[]): (url: string) => Content {
  const placeOf = once(() => placeFinder(pages));
  const contents = new Map<string, Content>();
  const make = (meant: ReturnType<ReturnType<typeof placeFinder>>, isMarkdown: boolean) => {
    const hint = meant ? `Did you mean [${meant.title}](${meant.url})? ` : "";
    const source = `# Page not found

There is no page at this address. ${hint}Begin with the [introduction](/docs) or the
[quickstart](/docs/guides/quickstart).`;
    const page = { path: "", title: "Page not found", section: "", source };
    if (isMarkdown) return contentOf(markdownOf(page), "page.md");
    return contentOf(layout(page, pages), "page.html");
  };
  return (url) => {
    const isMarkdown = url.endsWith(".md");
    const meant = placeOf()(url);
    const key = `${meant?.url} ${meant?.title} ${isMarkdown}`;
    const content = contents.get(key) ?? make(meant, isMarkdown);
    contents.set(key, content);
    return content;
  };
}

type Edition = ReturnType<typeof editionOf>;

/** Reads the models for each page, because generation may have restarted with another catalog. */
function currentEdition(deps: DocsDeps): () => Promise<Edition> {
  let last: { catalog: string; edition: Edition } | undefined;
  return async () => {
    const { models } = await deps.generation.listModels({ accountId: NO_ACCOUNT, mode: Mode.TEST });
    const shown = models.map(presentModel);
    const catalog = JSON.stringify(shown);
    if (last?.catalog !== catalog) last = { catalog, edition: editionOf(deps, shown) };
    return last.edition;
  };
}

/** What is made of all pages. */
const WITH_ALL_PAGES = ["/docs/files/search.json", "/llms.txt", "/llms-full.txt"] as const;

/** Pages, and by address what is made of them when it is first asked for. */
function editionOf(
  { contract, openaiContract, publicUrl, tokenPrice, notices }: DocsDeps,
  models: ReturnType<typeof presentModel>[],
) {
  const { prefix } = contract;
  const document = withTaken(contract.document, models);
  const codes = openaiContract.document["x-error-codes"];
  const settings = { prefix, origin: publicUrl(), tokenPrice, notices, codes };
  const pages = pagesOf(document, models, settings);
  const [search, links, whole] = WITH_ALL_PAGES;
  const contents = new Map([
    [search, once(() => contentOf(JSON.stringify(searchEntries(pages)), search))],
    [links, once(() => contentOf(llmsText(document, pages, settings), links))],
    [whole, once(() => contentOf(pages.map(markdownOf).join("\n"), whole))],
    ...pages.flatMap((page): [string, () => Content][] => [
      [pageUrl(page.path), once(() => contentOf(layout(page, pages), "page.html"))],
      [markdownUrl(page.path), once(() => contentOf(markdownOf(page), "page.md"))],
    ]),
  ] as [string, () => Content][]);
  return { pages, contents, notFound: notFoundPages(pages) };
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
