/** The pages of the documentation and their search. */
import { readFileSync } from "node:fs";
import MiniSearch from "minisearch";
import { parse } from "yaml";
import { ELSEWHERE, searchOf } from "../../../services/gateway/docs/files/search.js";
import type { SearchEntry } from "../../../services/gateway/docs/site.ts";
import { useHarness } from "../harness.ts";
import { operations, samplesOf, slugOf, useCatalog } from "./documented.ts";

const harness = useHarness();
const notices = {
  supportContact: "help@example.com",
  statusUrl: "https://status.example.com/",
  termsUrl: "https://example.com/terms",
  privacyUrl: "https://example.com/privacy",
  dataRegion: "the European Union",
};
const priced = useHarness({ config: { tokenPrice: { amount: "0.01", currency: "USD" }, notices } });

const textOf = async (path: string, from: typeof harness = harness) =>
  (await from.send(path)).text();

describe("the documentation", () => {
  const PAGES = ["/docs", "/docs/guides/webhooks", "/docs/reference/create-video-generation"];

  it.each(PAGES)("loads only files of this origin, and runs nothing inline: %s", async (path) => {
    const page = await harness.send(path);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]+src=)|<style|style=| on\w+=/);
    for (const [, link = ""] of html.matchAll(/(?:src|<link[^>]+href)="([^"]+)"/g)) {
      expect(link).toMatch(/^\/docs\/files\//);
      expect([link, (await harness.send(link)).status]).toEqual([link, 200]);
    }
  });

  it("has each page as HTML and as Markdown, linked from the contents and llms.txt, whose links all answer", async () => {
    useCatalog(harness);
    const llms = await harness.send("/llms.txt");
    expect(llms.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await llms.text();
    expect(text).toMatch(/^# .+\n\n> .+\n/);
    expect(text).toContain(`${harness.url}/llms-full.txt`);
    const contents = await textOf("/docs");
    const whole = await textOf("/llms-full.txt");
    const titles = [...text.matchAll(/^- \[(.+?)\]\(.+?(\/docs\/.+?)\.md\)/gm)];
    expect(titles.length).toBeGreaterThan(operations.length + 10);
    const pages = new Map<string, string>();
    const answered = new Set<string>();
    for (const [, , found = ""] of titles) {
      const path = found.replace(/\/index$/, "");
      const page = await harness.send(path);
      expect([path, page.status, contents.includes(`href="${path}"`)]).toEqual([path, 200, true]);
      const alternate = /^<(.+)>; rel="alternate"; type="text\/markdown"$/;
      const [, source = ""] = alternate.exec(page.headers.get("link") ?? "") ?? [];
      const html = await page.text();
      pages.set(path, html);
      expect(html).toContain(`<a href="${source}">View as Markdown</a>`);
      expect(html).not.toMatch(/undefined|\[object|\{\{/);
      const markdown = await harness.send(source);
      expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
      const plain = await markdown.text();
      expect(plain).toMatch(/^# .+\n/);
      expect(whole).toContain(plain);
      for (const [, link = ""] of plain.matchAll(/\]\((\/[^)#]*)/g)) {
        if (answered.has(link)) continue;
        answered.add(link);
        expect([path, link, (await harness.send(link)).status]).toEqual([path, link, 200]);
        expect(link).toMatch(
          /^\/docs\/.*\.md$|^(\/openai)?\/openapi\.|^\/llms(-full)?\.txt$|^\/dashboard(\?model=[\w.-]+|\/go\/[\w/]+)?$/,
        );
      }
    }
    // They lead to headings that are there, as what the search finds does.
    const found = await textOf("/docs/files/search.json");
    expect(found.match(/"url":"[^"]+#/g)?.length).toBeGreaterThan(120);
    for (const [path, html] of [...pages, ["search", found]] as const) {
      for (const [, to = "", id = ""] of html.matchAll(
        /(?:href|"url")[=:]"(\/docs[^"#]*)?#([^"]+)"/g,
      )) {
        const isThere = pages.get(to || path)?.includes(`id="${id}"`);
        expect([path, to, id, isThere]).toEqual([path, to, id, true]);
      }
    }
  });

  it("has of each operation its route, samples, parameters, and each error once, as it is meant there", async () => {
    for (const { path, method, operationId } of operations) {
      const source = await textOf(`/docs/reference/${slugOf(operationId)}.md`);
      expect(source).toContain(`\`${method} /v1${path}\``);
      expect(source).not.toMatch(/\bany[,;)]/);
      for (const sample of Object.values(await samplesOf(harness, operationId)))
        expect(source).toContain(`\n${sample}\n\`\`\``);
      const codes = [
        ...source.matchAll(/^- \d{3} \[`(\w+)`\]\(\/docs\/errors\.md#\1\), `\w+`: /gm),
      ];
      expect(codes.length).toBeGreaterThan(5);
      const found = source.split("\n").filter((line) => /^- \d{3} \[`internal`/.test(line));
      const isImageCreate = operationId === "createImageGeneration";
      expect([operationId, found.length]).toEqual([operationId, isImageCreate ? 2 : 1]);
      expect(found.join("").includes("The generation failed")).toBe(isImageCreate);
    }
  });

  it("shows the catalog with list prices, and of each model what it takes and what requests cost", async () => {
    const models = useCatalog(harness);
    const source = await textOf("/docs/models.md");
    const cells = (id: string) =>
      source.split("\n").find((line) => line.startsWith(`| [\`${id}\``));
    expect(cells("alpha-2.0")).toBe(
      "| [`alpha-2.0`](/docs/models.md#alpha-2.0) | 210 per 5 seconds (42 per second) | video | text (required), image, `audio`, `last_image_url` | 5 to 15 s in steps of 5; 720P; 16:9 9:16 1:1 4:3 3:4 21:9 |",
    );
    const parts = new Map(
      source.split(/^## /m).map((part) => [/^`(.+?)`/.exec(part)?.[1] ?? "", part]),
    );
    expect([...parts.keys()].slice(1)).toEqual(models.map(({ id }) => id));
    const image = parts.get("gamma-image-3.0-pro");
    expect(image).toContain("| `size: 2048x2048` | 84 |");
    expect(image).toContain("| `size: 1024x1024`, 3 `image_urls` | 105 |");
    expect(image).not.toContain("| `mask_url` |");
    const video = parts.get("beta-2.7-image-to-video");
    expect(video).toContain("| `duration: 15` | 1,500 |");
  });

  it("has prices in money too where the operator has set what a Token costs, and nowhere else", async () => {
    useCatalog(harness);
    priced.backends.listModels = harness.backends.listModels;
    const catalog = await textOf("/docs/models.md", priced);
    expect(catalog).toContain("| 210 (about 2.10 USD) per 5 seconds (42 per second) |");
    expect(catalog).toContain("| `duration: 15` | 1,500 (about 15.00 USD) |");
    expect(await textOf("/docs/models.md")).not.toMatch(/about [\d.]+ [A-Z]{3}/);
  });

  it("says what the operator tells its users, and what it has not named", async () => {
    const pages = ["content-and-rights", "data-and-regions", "support-and-status"];
    const ofAll = async (from?: typeof harness) =>
      (await Promise.all(pages.map((page) => textOf(`/docs/guides/${page}.md`, from)))).join();
    const named = await ofAll(priced);
    for (const notice of Object.values(notices)) expect(named).toContain(notice);
    expect(named).not.toContain("has not named");
    expect((await ofAll()).match(/has not named/g)).toHaveLength(4);
  });

  it.each([
    ["/docs/", "/docs"],
    ["/docs/guides/webhooks.html", "/docs/guides/webhooks"],
    ["/docs/errors/rate_limited", "/docs/errors#rate_limited"],
    ["/docs/models/beta-3.0-video", "/docs/models#beta-3.0-video"],
  ])("leads from %s to %s", async (path, meant) => {
    useCatalog(harness);
    const page = await harness.send(path, { redirect: "manual" });
    expect([page.status, page.headers.get("location")]).toEqual([302, meant]);
  });

  it("is not sent again when it has not changed, and has no other files", async () => {
    const first = await harness.send("/docs/files/page.css");
    // A proxy that compresses weakens it, and a cache sends several.
    const headers = { "if-none-match": `"other", W/${first.headers.get("etag")}` };
    const again = await harness.send("/docs/files/page.css", { headers });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    for (const path of ["none.html", "none.md", "files/..%2fdocs.ts", "files/none.js"])
      expect((await harness.send(`/docs/${path}`)).status).toBe(404);
    const page = await harness.send("/docs/none");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect([page.status, await page.text()]).toEqual([404, expect.stringContaining("not found")]);
  });

  it.each([
    ["reference/create-video", "/docs/reference/create-video-generation.md"],
    ["guide/quickstart", "/docs/guides/quickstart.md"],
    ["rate-limits", "/docs/guides/limits.md"],
    ["pricing", "/docs/models.md"],
    ["guides/webhoks", "/docs/guides/webhooks.md"],
    ["errors/rate_limit", "/docs/errors.md#rate_limited"],
    ["guides/python", "/docs/guides/client-python.md"],
    ["reference/videos", "/docs/reference/create-video-generation.md"],
    ["api", "/docs/reference/create-video-generation.md"],
    ["nope", undefined],
    ["how-to-nope", undefined],
  ])("names for %s what has a word of it, or nothing: %s", async (path, meant) => {
    const markdown = await textOf(`/docs/${path}.md`);
    expect(markdown).toMatch(/^# Page not found\n/);
    expect(/Did you mean \[.+\]\((.+)\)\?/.exec(markdown)?.[1]).toBe(meant);
  });
});

it("the search finds pages by readers' words, by parts of words and by similar ones, and leads to pages that are there", async () => {
  useCatalog(harness);
  const entries = await harness.json<SearchEntry[]>("/docs/files/search.json");
  const find = searchOf(MiniSearch, entries) as (text: string) => { url: string }[];
  const queries = ["sora", "402", "image", "cancle", "xyzzyplugh"];
  expect(queries.map((query) => find(query)[0]?.url.split("#")[0])).toEqual([
    "/docs/guides/openai",
    "/docs/errors",
    "/docs/reference/create-image-generation",
    "/docs/reference/cancel-video-generation",
    undefined,
  ]);
  const words = readFileSync("services/gateway/docs/search-words.yaml", "utf8");
  const named = Object.keys(parse(words) as object).map((id) => `/docs/${id}`);
  const urls = entries.map(({ url }) => url);
  expect(urls).toEqual(expect.arrayContaining([...named, ...ELSEWHERE.map(({ url }) => url)]));
});
