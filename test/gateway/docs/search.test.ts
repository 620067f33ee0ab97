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
/** Of its text, in parts: every second one is what was found. */
type Found = Pick<SearchEntry, "url" | "title"> & { excerpt: string[] };
let find: (text: string, options?: { needsAll?: boolean }) => Found[];

beforeAll(async () => {
  useCatalog(harness);
  const response = await harness.send("/docs/files/search.json");
  entries = (await response.json()) as SearchEntry[];
  find = searchOf(MiniSearch, entries);
});

/** Pages that are the first for what a developer types. */
const FIRST = `
guides/openai: sora, base url
guides/fal: lora, fine-tune
guides/replicate#comparison: FileOutput, succeeded
guides/client: n8n, sdk
reference/delete-file: delete a file
guides/files#upload-a-picture: data url, base64, upload image
guides/webhooks#when-your-receiver-is-down: webhook retry
guides/spending#refunds: refund
errors#insufficient_tokens: 402
errors#invalid_api_key: 401
guides/idempotency: idempotent
reference/cancel-video-generation: cancle
reference/create-video-generation: last_image_url
guides/webhooks: event types, webhook
reference/create-image-generation: image
`;

const queries = FIRST.trim()
  .split("\n")
  .flatMap((line) => {
    const [page = "", words = ""] = line.split(": ");
    return words.split(", ").map((query) => [query, page] as const);
  });

it.each(queries)("finds for %s first %s", (query, path) => {
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
