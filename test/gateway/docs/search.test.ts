/** The search of the documentation, on its own index. */
import MiniSearch from "minisearch";
import { beforeAll, expect, it } from "vitest";
import {
  placeIn,
  searchOf,
  type Find,
  type SearchedPage,
} from "../../../services/gateway/docs/files/search.js";
import { searchWords } from "../../../services/gateway/docs/search-words.ts";
import { useHarness } from "../harness.ts";
import { useCatalog } from "./documented.ts";

const harness = useHarness();
let pages: SearchedPage[];
let find: Find;

beforeAll(async () => {
  useCatalog(harness);
  const response = await harness.send("/docs/files/search.json");
  pages = (await response.json()) as SearchedPage[];
  find = searchOf(MiniSearch, pages);
});

const paths = (query: string, count: number) =>
  find(query)
    .slice(0, count)
    .map(({ url }) => url);

/** Pages that are among the first two for what a developer types. */
const FOUND = `
guides/api-keys: rotate, rotate key, authentication, bearer, cors, ip allowlist, login, team, permissions
guides/quickstart: getting started, hello world, sign up, signup, create account
guides/limits: concurrency, batch, rate limit, ratelimit headers, x-ratelimit, x-ratelimit-remaining, quota
guides/limits: max prompt length
errors/rate_limited: 429
errors/insufficient_tokens: 402, insufficient_tokens
guides/retention: retention, expires, gdpr, watermark, delete
errors/content_rejected: moderation, nsfw
models: hd, compare models, cheapest model, pricing, cost
reference/create-video-generation: hd, 1080p, seed, aspect ratio, negative prompt, last frame, response body
reference/create-image-generation: n images, multiple images, transparent background, request body
models/beta-2.7-image-to-video: image to video
models/beta-2.7-text-to-video: text to video
guides/versions: changelog, deprecation
guides/webhooks: callback, webhook retry
guides/webhook-receivers: localhost webhook, ngrok, express
guides/spending: email, refund, billing, spend limit, credits, topup, top up, recharge, buy tokens, payment
guides/spending: prepaid, credit card, cost
guides/client: sdk, python, install, postman
guides/waiting: how long, polling, timeout
guides/streaming: streaming, progress, sse
reference/cancel-video-generation: cancel, cancel video
guides/lists: pagination
guides/idempotency: retry, duplicate
guides/files: download, upload image, base64, thumbnail
guides/errors: error codes, request id
models/gamma-image-3.0-pro: gamma-image
guides/test-mode: sandbox, test mode, mock, free
guides/ai-sdk: vercel
guides/mcp: claude
guides/openai: openai, migrate
reference/retrieve-balance: balance
`;

const queries = FOUND.trim()
  .split("\n")
  .flatMap((line) => {
    const [page = "", words = ""] = line.split(": ");
    return words.split(", ").map((query) => [query, page] as const);
  });

it.each(queries)("finds for %s among the first two %s", (query, path) => {
  expect(paths(query, 2)).toContain(`/docs/${path}`);
});

it("has words of readers for pages that exist", () => {
  const urls = pages.map(({ url }) => url);
  for (const path of Object.keys(searchWords())) expect(urls).toContain(`/docs/${path}`);
});

it.each([
  ["sdk", "/docs/guides/client"],
  ["rotate key", "/docs/guides/api-keys"],
  ["gamma-image", "/docs/models/gamma-image-3.0-pro"],
  ["batch", "/docs/guides/limits"],
  ["download", "/docs/guides/files"],
  ["rate limit", "/docs/guides/limits"],
  ["timeout", "/docs/guides/waiting"],
  ["webhook retry", "/docs/guides/webhooks"],
  ["webhook signature", "/docs/guides/webhooks"],
  ["test mode", "/docs/guides/test-mode"],
  ["cancel video", "/docs/reference/cancel-video-generation"],
  ["response", "/docs/reference/create-video-generation"],
  ["list videos", "/docs/reference/list-video-generations"],
])("finds for %s first of all %s", (query, url) => {
  expect(paths(query, 1)).toEqual([url]);
});

it.each([
  ["insufficent", "insufficient"],
  ["webhoook", "webhook"],
  ["idempotnecy", "idempotency"],
  ["quickstrat", "quickstart"],
  ["pyhton", "python"],
  ["webohok", "webhook"],
  ["stauts codes", "status codes"],
])("finds for %s, which is misspelled, what it finds for %s", (typo, word) => {
  expect(paths(typo, 1)).toEqual(paths(word, 1));
});

it.each([
  ["retry after rate", "/docs/guides/limits", undefined, /Retry-After/],
  ["verify signature", "/docs/guides/webhooks", "verify-signatures", /signature/i],
  ["webhook signature", "/docs/guides/webhooks", "verify-signatures", /signature/i],
  ["negative prompt", "/docs/reference/create-video-generation", "body", /negative_prompt/],
  ["nsfw", "/docs/errors/content_rejected", undefined, /content_rejected/],
])("shows for %s a line of %s with the words, below its heading", (query, url, id, words) => {
  const page = find(query).find((one) => one.url === url);
  if (!page) throw new Error(`${query} does not find ${url}`);
  const { id: found, excerpt } = placeIn(page);
  const line = excerpt.map(({ text }) => text).join("");
  expect([id, line]).toEqual([found, expect.stringMatching(words)]);
  expect(line.length).toBeLessThan(150);
  expect(line).not.toMatch(/\n|\]\(|`|\*\*/);
});

it("shows whole words of what is found, also behind a long one", () => {
  const text = `See https://example.com/${"a".repeat(60)}/webhooks for more.`;
  const page = { url: "", title: "", group: "", words: "", headings: [], code: "", parts: [] };
  const { excerpt } = placeIn({ ...page, text, terms: ["webhook"] });
  const shown = excerpt.map((piece) => (piece.isFound ? `[${piece.text}]` : piece.text)).join("");
  expect(shown).toBe("… [webhooks] for more.");
});

it("has an anchor for each part of a page", async () => {
  useCatalog(harness);
  for (const { url, parts, text } of pages) {
    const page = await (await harness.send(url)).text();
    for (const { id, title, at } of parts) {
      expect(page).toContain(`id="${id}"`);
      expect(text.slice(at, at + title.length)).toBe(title);
    }
  }
  expect(pages.flatMap(({ parts }) => parts).length).toBeGreaterThan(120);
});

it("finds nothing for what is in no page, and all pages with both words before those with one", () => {
  expect(find("xyzzyplugh")).toEqual([]);
  expect(find("")).toEqual([]);
  for (const { title, words, text, headings, code } of find("image seed"))
    expect([title, words, ...headings, text, code].join(" ").toLowerCase()).toMatch(
      /image.*seed|seed.*image/s,
    );
});

it("finds pages with some of the words where none has all, unless all are needed", () => {
  const query = "callback zzqqxx";
  expect(find(query).map(({ url }) => url)).toContain("/docs/guides/webhooks");
  expect(find(query, { needsAll: true })).toEqual([]);
});
