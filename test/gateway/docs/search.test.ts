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

/** What a developer types, and a page that is then among the first two. */
const FOUND = `
rotate, guides/api-keys
rotate key, guides/api-keys
authentication, guides/api-keys
bearer, guides/api-keys
cors, guides/api-keys
ip allowlist, guides/api-keys
login, guides/api-keys
team, guides/api-keys
permissions, guides/api-keys
getting started, guides/quickstart
hello world, guides/quickstart
concurrency, guides/limits
batch, guides/limits
rate limit, guides/limits
ratelimit headers, guides/limits
x-ratelimit, guides/limits
x-ratelimit-remaining, guides/limits
quota, guides/limits
429, errors/rate_limited
402, errors/insufficient_tokens
max prompt length, guides/limits
retention, guides/retention
expires, guides/retention
gdpr, guides/retention
watermark, guides/retention
delete, guides/retention
moderation, errors/content_rejected
nsfw, errors/content_rejected
hd, models
hd, reference/create-video-generation
1080p, reference/create-video-generation
seed, reference/create-video-generation
n images, reference/create-image-generation
multiple images, reference/create-image-generation
transparent background, reference/create-image-generation
aspect ratio, reference/create-video-generation
negative prompt, reference/create-video-generation
last frame, reference/create-video-generation
image to video, models/beta-2.7-image-to-video
text to video, models/beta-2.7-text-to-video
changelog, guides/versions
deprecation, guides/versions
callback, guides/webhooks
webhook retry, guides/webhooks
localhost webhook, guides/webhook-receivers
ngrok, guides/webhook-receivers
express, guides/webhook-receivers
email, guides/spending
refund, guides/spending
billing, guides/spending
spend limit, guides/spending
credits, guides/spending
topup, guides/spending
top up, guides/spending
recharge, guides/spending
buy tokens, guides/spending
payment, guides/spending
prepaid, guides/spending
credit card, guides/spending
sign up, guides/quickstart
signup, guides/quickstart
create account, guides/quickstart
compare models, models
cheapest model, models
pricing, models
cost, models
cost, guides/spending
sdk, guides/client
python, guides/client
install, guides/client
postman, guides/client
how long, guides/waiting
polling, guides/waiting
timeout, guides/waiting
streaming, guides/streaming
progress, guides/streaming
sse, guides/streaming
cancel, reference/cancel-video-generation
cancel video, reference/cancel-video-generation
pagination, guides/lists
retry, guides/idempotency
duplicate, guides/idempotency
download, guides/files
upload image, guides/files
base64, guides/files
thumbnail, guides/files
error codes, guides/errors
request id, guides/errors
gamma-image, models/gamma-image-3.0-pro
insufficient_tokens, errors/insufficient_tokens
sandbox, guides/test-mode
test mode, guides/test-mode
mock, guides/test-mode
free, guides/test-mode
vercel, guides/ai-sdk
claude, guides/mcp
openai, guides/openai
balance, reference/retrieve-balance
response body, reference/create-video-generation
request body, reference/create-image-generation
migrate, guides/openai
`;

it.each(
  FOUND.trim()
    .split("\n")
    .map((line) => line.split(", ") as [string, string]),
)("finds for %s among the first two %s", (query, path) => {
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
