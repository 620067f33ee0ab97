/** The search of the documentation, on its own index. */
import { readFileSync } from "node:fs";
import MiniSearch from "minisearch";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { ELSEWHERE, searchOf } from "../../../services/gateway/docs/files/search.js";
import type { SearchEntry } from "../../../services/gateway/docs/site.ts";
import { useHarness } from "../harness.ts";
import { useCatalog } from "./documented.ts";

const harness = useHarness();
let entries: SearchEntry[];
let find: ReturnType<typeof searchOf>;

beforeAll(async () => {
  useCatalog(harness);
  const response = await harness.send("/docs/files/search.json");
  entries = (await response.json()) as SearchEntry[];
  find = searchOf(MiniSearch, entries);
});

/** Pages that are among the first three for what a developer types. */
const FOUND = `
guides/api-keys: rotate key, authentication, bearer, cors, login, permissions
guides/quickstart: getting started, hello world, sign up, base url
guides/retention: delete data
guides/limits: concurrency, batch, rate limit headers, quota
guides/spending: refund, spend limit, top up, credit card
guides/idempotency: double charge
models: compare models, pricing, how much, cost estimate
models#beta-2.7-image-to-video: image to video
errors#insufficient_tokens: insufficient_tokens, insufficent tokens
errors#content_rejected: nsfw
reference/create-video-generation: video, 1080p, negative prompt, last_image_url
reference/list-webhook-deliveries: next_attempt_at
guides/fal: start_image_url
guides/webhooks#verify-signatures: webhook secret, rotate key
errors#missing_api_key: 401
reference/retrieve-video-generation: get result
reference/create-image-generation: n, seed
guides/test-mode: provoke 429
`;

/** Pages that are the first. */
const FIRST = `
guides/openai: sora
guides/fal: lora, fine-tune
guides/replicate#comparison: FileOutput, use_file_output, succeeded
guides/replicate#webhook-cancel-and-list: predictions.create, validateWebhook
guides/client: n8n, sdk
reference/delete-file: delete a file
guides/files#upload-a-picture: data url, base64, upload image
models: model page
guides/client-python#options: wait_seconds
guides/webhooks#when-your-receiver-is-down: webhook retry
guides/spending#refunds: refund
errors#insufficient_tokens: 402
errors#invalid_api_key: 401
guides/waiting: cold start
guides/test-mode: sk_test, test card
models: usd, dollar
guides/openai: base url
guides/idempotency: idempotent
reference/redeliver-webhook: resend, replay
reference/cancel-video-generation: cancle
reference/delete-video-generation: delete a video
guides/webhooks: event types, webhook
reference/create-image-generation: image
guides/webhooks#verify-signatures: webhook secret, signature
guides/webhook-receivers#on-your-machine: localhost webhook
`;

const queriesOf = (table: string) =>
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [page = "", words = ""] = line.split(": ");
      return words.split(", ").map((query) => [query, page] as const);
    });

it.each(queriesOf(FIRST))("finds for %s first %s", (query, path) => {
  const url = find(query)[0]?.url ?? "";
  expect(path.includes("#") ? url : url.split("#")[0]).toBe(`/docs/${path}`);
});

it("leads from what is not found to pages that are there, and has one result for each page", () => {
  const urls = entries.map(({ url }) => url);
  for (const { url } of ELSEWHERE) expect(urls).toContain(url);
  for (const query of ["webhook", "seed", "idempotency", "delete"]) {
    const pages = find(query).map(({ url }) => url.split("#")[0]);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages).toEqual([...new Set(pages)]);
  }
});

it("shows parameters that many operations take once, below what is about them", () => {
  const titles = find("Idempotency-Key").map(({ title }) => title);
  expect(titles.filter((title) => title.endsWith(": Parameters")).length).toBeLessThan(2);
  expect(titles.slice(0, 3)).toContainEqual(expect.stringMatching(/^Idempotency/));
});

it.each(queriesOf(FOUND))("finds for %s among the first three %s", (query, path) => {
  const found = find(query)
    .slice(0, 3)
    .map(({ url }) => (path.includes("#") ? url : url.split("#")[0]));
  expect(found).toContain(`/docs/${path}`);
});

it("ranks fields and headings before samples, exact words before similar ones, and shows what it found", () => {
  const [best] = find("last_image_url");
  expect(best?.url).toMatch(/create-video-generation#request-body$/);
  expect(best?.excerpt.filter((_, at) => at % 2 === 1)[0]).toBe("last_image_url");
  expect(best?.excerpt.join("").length).toBeLessThan(200);
  expect(find("seed").map(({ excerpt }) => excerpt.join(" "))).not.toContain("need");
  const [sample] = find("vgen_2zjrwfavgwd8tj2ht7shw0cw42");
  expect(sample?.excerpt[1]).toBe("vgen_2zjrwfavgwd8tj2ht7shw0cw42");
});

it.each(["seed", "thumbnail"])(
  "shows %s of many answers once for each text, below requests and guides",
  (field) => {
    const found = find(field).map(({ url, excerpt }) => ({
      isAnswer: /#(response-\d+|event)$/.test(url),
      text: excerpt.slice(1).join("").slice(0, 40),
    }));
    const texts = found.filter(({ isAnswer }) => isAnswer).map(({ text }) => text);
    expect(texts).not.toEqual([]);
    expect(texts).toEqual([...new Set(texts)]);
    expect(found.slice(0, 2).some(({ isAnswer }) => isAnswer)).toBe(false);
  },
);

it("has words of readers for pages and parts that exist", () => {
  const file = readFileSync("services/gateway/docs/search-words.yaml", "utf8");
  const urls = entries.map(({ url }) => url);
  for (const id of Object.keys(parse(file) as object)) expect(urls).toContain(`/docs/${id}`);
});

it("finds nothing for what is in no page, and pages with some of the words unless all are needed", () => {
  expect(find("xyzzyplugh")).toEqual([]);
  expect(find("")).toEqual([]);
  expect(find("callback zzqqxx")).not.toEqual([]);
  expect(find("callback zzqqxx", { needsAll: true })).toEqual([]);
});
