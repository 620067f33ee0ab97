/** Serves the documentation below /docs, as HTML and as Markdown: guides, the catalog, a page for each operation. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import MiniSearch from "minisearch";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Deps } from "../edge/operations/deps.ts";
import { presentModel } from "../edge/presenters/model.ts";
import { Problem } from "../edge/http/problem.ts";
import { redirectOf } from "./redirects.ts";
import { searchOf } from "./files/search.js";
import { layout } from "./layout.ts";
import { llmsText } from "./llms.ts";
import { notFoundPage } from "./not-found-page.ts";
import { PACKAGE_TYPES, packageContent } from "./packages.ts";
import { searchedPages } from "./searched-pages.ts";
import { markdownUrl, pageUrl, siteOf, type Page, type Site } from "./site.ts";

const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";

const own = (name: string) => new URL(`./files/${name}`, import.meta.url);

const FILES: [name: string, type: string, file: URL][] = [
  ["before-paint.js", SCRIPT, own("before-paint.js")],
  ["page.js", SCRIPT, own("page.js")],
  ["search.js", SCRIPT, own("search.js")],
  ["minisearch.js", SCRIPT, new URL(import.meta.resolve("minisearch"))],
  ["page.css", "text/css; charset=utf-8", own("page.css")],
  ["icon.svg", "image/svg+xml", own("icon.svg")],
];

/** Allows nothing inline and no other origin: markup injected into a description cannot run or send anything. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
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

export type DocsDeps = Pick<Deps, "contract" | "publicUrl" | "generation" | "tokenPrice">;

export function docs(deps: DocsDeps): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    for (const [name, type, path] of FILES) {
      const file = once(() => tagged(readFileSync(path)));
      app.get(`/docs/files/${name}`, async (request, reply) =>
        sendContent(request, reply, type, file()),
      );
    }
    for (const [file, type] of Object.entries(PACKAGE_TYPES)) {
      app.get(`/docs/packages/${file}`, async (request, reply) => {
        const content = await packageContent(file);
        if (!content) throw new Problem("route_not_found");
        return sendContent(request, reply, type, tagged(content));
      });
    }
    app.get("/favicon.ico", async (_request, reply) => reply.redirect("/docs/files/icon.svg"));
    app.get("/robots.txt", async (_request, reply) => reply.type(TEXT).send(ROBOTS));
    // Built at the first request: the public URL is known only once the port is open.
    const site = once(() => openSite(deps));
    const withoutModels = once(() => editionOf(deps, site().pages));
    const current = currentEdition(deps, site);
    app.get("/docs/files/search.json", async (request, reply) =>
      sendContent(request, reply, JSON_TYPE, (await current()).searchIndex()),
    );
    app.get("/llms.txt", async (request, reply) =>
      sendContent(request, reply, TEXT, (await current()).llms()),
    );
    app.get("/llms-full.txt", async (request, reply) =>
      sendContent(request, reply, TEXT, (await current()).wholeText()),
    );
    const show = async (url: string, request: FastifyRequest, reply: FastifyReply) => {
      const isOfCatalog = /^\/docs\/models(?=[/.]|$)/i.test(url);
      const { pages, html, find } = isOfCatalog ? await current() : withoutModels();
      const source = pages.find(({ path }) => markdownUrl(path) === url);
      if (source) return sendContent(request, reply, MARKDOWN, tagged(source.source));
      const page = pages.find(({ path }) => pageUrl(path) === url);
      if (!page) {
        const other = redirectOf(url, pages);
        if (other !== undefined) return reply.redirect(other);
        if (/\.\w+$/.test(url) && !isOfCatalog) throw new Problem("route_not_found");
        const content = tagged(layout(notFoundPage(url, pages, find()), pages));
        return sendContent(request, reply.code(404), HTML, content);
      }
      void reply.header(
        "link",
        `<${markdownUrl(page.path)}>; rel="alternate"; type="text/markdown"`,
      );
      return sendContent(request, reply, HTML, html(page));
    };
    app.get("/docs", async (request, reply) => show("/docs", request, reply));
    app.get<{ Params: { "*": string } }>("/docs/*", async (request, reply) =>
      show(`/docs/${request.params["*"]}`, request, reply),
    );
  };
}

type Edition = ReturnType<typeof editionOf>;

/** Models are read whenever they are shown, because the catalog can change while the service runs; pages are made when it has. */
function currentEdition(deps: DocsDeps, site: () => Site): () => Promise<Edition> {
  let last: { catalog: string; edition: Edition } | undefined;
  return async () => {
    const { models } = await deps.generation.listModels({ accountId: NO_ACCOUNT, mode: Mode.TEST });
    const shown = models.map(presentModel);
    const catalog = JSON.stringify(shown);
    if (last?.catalog !== catalog)
      last = { catalog, edition: editionOf(deps, site().withModels(shown)) };
    return last.edition;
  };
}

/** Pages and what is made of them, when it is first asked for. */
function editionOf({ contract, publicUrl }: DocsDeps, pages: readonly Page[]) {
  const searched = once(() => searchedPages(pages));
  const shown = new Map<Page, TaggedContent>();
  return {
    pages,
    html: (page: Page): TaggedContent => {
      let content = shown.get(page);
      if (!content) shown.set(page, (content = tagged(layout(page, pages))));
      return content;
    },
    searchIndex: once(() => tagged(JSON.stringify(searched()))),
    find: once(() => searchOf(MiniSearch, searched())),
    wholeText: once(() => tagged(pages.map(({ source }) => source).join("\n"))),
    llms: once(() => {
      const origin = publicUrl();
      const urls = { publicUrl: origin, baseUrl: `${origin}${contract.prefix}` };
      return tagged(llmsText(contract.document, pages, urls));
    }),
  };
}

function openSite({ contract, publicUrl, tokenPrice }: DocsDeps): Site {
  const { prefix } = contract;
  const baseUrl = `${publicUrl()}${prefix}`;
  return siteOf(contract.document, { prefix, baseUrl, tokenPrice });
}

type TaggedContent = { content: Buffer; etag: string };

function tagged(text: string | Buffer): TaggedContent {
  const content = Buffer.from(text);
  return { content, etag: `"${createHash("sha256").update(content).digest("base64url")}"` };
}

function sendContent(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  type: string,
  { content, etag }: TaggedContent,
): FastifyReply {
  void reply.headers({ ...HEADERS, etag });
  if (reply.statusCode === 200 && headers["if-none-match"] === etag) return reply.code(304).send();
  return reply.type(type).send(content);
}

/** Keeps what `make` returns from the first call on. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
