/** The search of the documentation, on its own index. */
import MiniSearch from "minisearch";
import { beforeAll, expect, it } from "vitest";
import { useHarness } from "../harness.ts";
import { useCatalog } from "./documented.ts";

type Page = { title: string; group: string; url: string; headings: string[]; text: string };

const harness = useHarness();
let find: (query: string) => Page[];

beforeAll(async () => {
  useCatalog(harness);
  const url = new URL("../../../services/gateway/docs/files/search.js", import.meta.url).href;
  const { searchOf } = (await import(url)) as {
    searchOf: (library: typeof MiniSearch, pages: Page[]) => (query: string) => Page[];
  };
  const response = await harness.send("/docs/files/search.json");
  find = searchOf(MiniSearch, (await response.json()) as Page[]);
});

const paths = (query: string, count: number) =>
  find(query)
    .slice(0, count)
    .map(({ url }) => url);

it.each([
  ["rotate", "/docs/guides/api-keys"],
  ["rotate key", "/docs/guides/api-keys"],
  ["authentication", "/docs/guides/api-keys"],
  ["concurrency", "/docs/guides/limits"],
  ["retention", "/docs/guides/retention"],
  ["moderation", "/docs/errors/content_rejected"],
  ["1080p", "/docs/reference/create-video-generation"],
  ["changelog", "/docs/guides/versions"],
  ["callback", "/docs/guides/webhooks"],
  ["email", "/docs/guides/spending"],
  ["pricing", "/docs/models"],
  ["sdk", "/docs/guides/client"],
  ["how long", "/docs/guides/waiting"],
  ["polling", "/docs/guides/waiting"],
  ["cancel video", "/docs/reference/cancel-video-generation"],
  ["pagination", "/docs/guides/lists"],
  ["rate limit", "/docs/guides/limits"],
  ["refund", "/docs/guides/spending"],
  ["gamma-image", "/docs/models/gamma-image-3.0-pro"],
  ["insufficient_tokens", "/docs/errors/insufficient_tokens"],
  ["python", "/docs/guides/client"],
  ["sandbox", "/docs/guides/test-mode"],
])("finds the page about %s among the first", (query, url) => {
  expect(paths(query, 5)).toContain(url);
});

it.each([
  ["sdk", "/docs/guides/client"],
  ["rotate key", "/docs/guides/api-keys"],
  ["gamma-image", "/docs/models/gamma-image-3.0-pro"],
])("finds for %s first of all %s", (query, url) => {
  expect(paths(query, 1)).toEqual([url]);
});

it.each([
  ["insufficent", "insufficient"],
  ["webhoook", "webhook"],
  ["idempotnecy", "idempotency"],
  ["quickstrat", "quickstart"],
])("finds for %s, which is misspelled, what it finds for %s", (typo, word) => {
  expect(paths(typo, 1)).toEqual(paths(word, 1));
});

it("finds nothing for what is in no page, and all pages with both words before those with one", () => {
  expect(find("xyzzyplugh")).toEqual([]);
  expect(find("")).toEqual([]);
  for (const { title, text, headings } of find("image seed"))
    expect([title, ...headings, text].join(" ").toLowerCase()).toMatch(/image.*seed|seed.*image/s);
});
