/** The pages of the documentation. */
import { describe, expect, it } from "vitest";
import { notFoundPage } from "../../../services/gateway/docs/not-found-page.ts";
import { useHarness } from "../harness.ts";
import { operations, samplesOf, useCatalog } from "./documented.ts";

const harness = useHarness();
const priced = useHarness({ config: { tokenPrice: { amount: "0.01", currency: "USD" } } });

describe("the documentation", () => {
  it("loads only files of this origin, all of which are served, and runs nothing inline", async () => {
    for (const path of [
      "/docs",
      "/docs/guides/webhooks",
      "/docs/reference/create-video-generation",
    ]) {
      const page = await harness.send(path);
      expect([page.status, page.headers.get("content-type")]).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
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
    }
  });

  it("has a page for every operation and event, each linked and in the search index", async () => {
    const index = (await (await harness.send("/docs/files/search.json")).json()) as {
      url: string;
    }[];
    expect(index.length).toBeGreaterThan(operations.length + 10);
    const linking = await Promise.all(["/docs", "/docs/models"].map((path) => harness.send(path)));
    const [contents = "", catalog = ""] = await Promise.all(linking.map((page) => page.text()));
    for (const { url } of index) {
      const page = await harness.send(url);
      const links = url.startsWith("/docs/models/") ? catalog : contents;
      expect([url, page.status, links.includes(`href="${url}"`)]).toEqual([url, 200, true]);
      expect(await page.text()).not.toMatch(/undefined|\[object|\{\{/);
    }
  });

  it("has each page as Markdown too, linked from llms.txt, whose links all answer", async () => {
    const llms = await harness.send("/llms.txt");
    expect(llms.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const text = await llms.text();
    expect(text).toMatch(/^# .+\n\n> .+\n/);
    const linked = [...text.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)].map(([, title, url]) => ({
      title,
      url,
    }));
    const index = (await (await harness.send("/docs/files/search.json")).json()) as {
      url: string;
      title: string;
    }[];
    const asMarkdown = index.map(async ({ url, title }) => {
      const shown = await harness.send(url);
      const link = shown.headers.get("link") ?? "";
      const [, path = ""] = /^<(.+)>; rel="alternate"; type="text\/markdown"$/.exec(link) ?? [];
      expect(await shown.text()).toContain(`<a href="${path}">View as Markdown</a>`);
      return { title, url: `${harness.url}${path}` };
    });
    expect(linked).toEqual(await Promise.all(asMarkdown));
    expect(text).toContain(`${harness.url}/llms-full.txt`);
    const whole = await (await harness.send("/llms-full.txt")).text();
    for (const { url = "" } of linked) {
      const page = await fetch(url);
      expect([url, page.status, page.headers.get("content-type")]).toEqual([
        url,
        200,
        "text/markdown; charset=utf-8",
      ]);
      const source = await page.text();
      expect(source).toMatch(/^# .+\n/);
      expect(whole).toContain(source);
      expect(source).not.toMatch(/undefined|\[object|\{\{|<[dp]>/);
      for (const [, path = ""] of source.matchAll(/\]\((\/[^)#]*)/g)) {
        expect([url, path, (await harness.send(path)).status]).toEqual([url, path, 200]);
        expect(path).toMatch(
          /^\/docs\/.*\.md$|^(\/openai)?\/openapi\.|^\/llms(-full)?\.txt$|^\/dashboard(\?model=[\w.-]+|\/go\/[\w/]+)?$/,
        );
      }
    }
  });

  it("says the same of an operation as Markdown: the route, samples, every field and every code", async () => {
    const words = (text: string) => text.replaceAll(/\s+/g, " ");
    for (const { path, method, operationId } of operations) {
      const slug = operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const html = await (await harness.send(`/docs/reference/${slug}`)).text();
      const source = await (await harness.send(`/docs/reference/${slug}.md`)).text();
      expect(source).toContain(`\`${method.toUpperCase()} /v1${path}\``);
      const named = [
        ...html.matchAll(
          /<dt id="([^"]+)">\s*<a href="#\1"><code>(.*?)<\/code><\/a>\s*<span>(.*?)<\/span>/gs,
        ),
      ];
      expect(new Set(named.map(([, id]) => id)).size).toBe(named.length);
      expect(named.length).toBeGreaterThan(0);
      for (const [, , name = "", about = ""] of named)
        expect(words(source)).toContain(words(`- \`${name}\` (${about}`));
      const codes = [...html.matchAll(/<code>(\w+)<\/code><\/a>\s*<span>(\d+), (\w+)<\/span>/g)];
      expect(codes.length).toBeGreaterThan(5);
      for (const [, code = "", status = "", type = ""] of codes)
        expect(source).toContain(
          `- ${status} [\`${code}\`](/docs/errors/${code}.md), \`${type}\`: `,
        );
      for (const sample of Object.values(await samplesOf(harness, operationId)))
        expect(source).toContain(`\n${sample}\n\`\`\``);
    }
  });

  it("lists each error of an operation once, as it is meant there", async () => {
    const errorsOf = async (slug: string) => {
      const source = await (await harness.send(`/docs/reference/${slug}.md`)).text();
      return source.split("\n").filter((line) => /^- \d{3} \[/.test(line));
    };
    for (const { operationId } of operations) {
      const slug = operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const found = (await errorsOf(slug)).filter((line) => line.includes("`internal`"));
      const isImageCreate = operationId === "createImageGeneration";
      expect([operationId, found.length]).toEqual([operationId, isImageCreate ? 2 : 1]);
      expect(found.join("").includes("The image failed")).toBe(isImageCreate);
    }
    const ofFiles = (await errorsOf("create-file")).join("\n");
    expect(ofFiles).toContain("The file is larger than 20 MB.");
    expect(ofFiles).not.toMatch(/256 KiB|as JSON/);
    expect((await errorsOf("create-video-generation")).join("\n")).toContain("256 KiB");
    const page = await (await harness.send("/docs/reference/create-file.md")).text();
    expect(page).toContain("original file and stores nothing again");
    expect(page).not.toContain("does not charge again");
  });

  it("shows errors in its guides with all that an error has", async () => {
    const answer = await harness.send("/v1/videos/generations", { method: "POST" });
    const { error } = (await answer.json()) as { error: object };
    const guides = ["errors", "spending"].map(async (name) =>
      (await harness.send(`/docs/guides/${name}.md`)).text(),
    );
    const texts = (await Promise.all(guides)).join("\n");
    const shown = [...texts.matchAll(/^```json\n(\{\s+"error": .*?)^```/gms)].map(
      ([, json = ""]) => (JSON.parse(json) as { error: Record<string, string> }).error,
    );
    expect(shown).toHaveLength(3);
    for (const one of shown) {
      expect(Object.keys(one)).toEqual(expect.arrayContaining(Object.keys(error)));
      expect(one["doc_url"]).toBe(`${harness.url}/docs/errors/${one["code"]}`);
      expect((await fetch(one["doc_url"] ?? "")).status).toBe(200);
    }
  });

  it("has the page that an error names, with the operations that answer it", async () => {
    const answer = await harness.send("/v1/videos/generations", { method: "POST" });
    const { error } = (await answer.json()) as { error: { code: string; doc_url: string } };
    expect(error.doc_url).toBe(`${harness.url}/docs/errors/missing_api_key`);
    const page = await fetch(error.doc_url);
    expect(page.status).toBe(200);
    const text = await page.text();
    expect(text).toContain("<code>missing_api_key</code></h1>");
    for (const { operationId } of operations) {
      const slug = operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      expect(text).toContain(`"/docs/reference/${slug}"`);
    }
  });

  it("shows the catalog with list prices", async () => {
    useCatalog(harness);
    const page = await (await harness.send("/docs/models")).text();
    const rows = [...page.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) =>
      row
        .replaceAll(/<[^>]+>/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    );
    expect(rows).toContain(
      "alpha-2.0 210 per 5 seconds Sound, a last frame, 21:9. Takes the same for more Tokens than alpha-2.0-fast , alpha-2.0-mini . video text (required), image 5 to 15 s in steps of 5; 720P; 16:9 9:16 1:1 4:3 3:4 21:9",
    );
    expect(rows.find((row) => row.startsWith("gamma-image-3.0-pro"))).toContain(
      "per reference image",
    );
    const source = await (await harness.send("/docs/models.md")).text();
    const lines = source.split("\n").filter((line) => line.startsWith("| [`"));
    const plainRows = lines.map((line) =>
      line
        .replaceAll(/\]\(.*?\)/g, "")
        .replaceAll(/[|`[]/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    );
    expect(plainRows.map((row) => rows.includes(row))).toEqual(rows.slice(1).map(() => true));
  });

  it("has a page for each model: what it takes, and what typical requests cost", async () => {
    const models = useCatalog(harness);
    const index = (await (await harness.send("/docs/files/search.json")).json()) as {
      url: string;
    }[];
    const found = index.filter(({ url }) => url.startsWith("/docs/models/"));
    expect(found.map(({ url }) => url)).toEqual(models.map(({ id }) => `/docs/models/${id}`));
    const image = await (await harness.send("/docs/models/gamma-image-3.0-pro.md")).text();
    expect(image).toContain("| `size: 2048x2048` | 84 |");
    expect(image).toContain("| `size: 1024x1024`, `n: 4` | 168 |");
    expect(image).toContain("| `size: 1024x1024`, 3 `image_urls` | 105 |");
    expect(image).toMatch(/\| `n` \| 1 to 4 \| 1 \|/);
    expect(image).toMatch(/\| `background` \| .+ \| the model decides \|/);
    expect(image).not.toMatch(/\| +\|/);
    expect(image).not.toContain("may be lower");
    expect(image).toContain("Makes images from text, or from text and up to 3 images.");
    expect(image).toContain("](/dashboard?model=gamma-image-3.0-pro)");
    expect(image).not.toContain("| `mask_url` |");
    const video = await (await harness.send("/docs/models/beta-2.7-image-to-video.md")).text();
    expect(video).toContain("Makes videos of 2 to 15 seconds from text and an image, in 720P.");
    expect(video).toContain("| `duration: 15` | 1,500 |");
    expect(video).toContain("Needs an image, any whole number of seconds, a last frame.");
    const apart = await (await harness.send("/docs/models/alpha-2.0-mini.md")).text();
    expect(apart).toContain(
      "The lowest price, sound, a last frame, 21:9. Takes the same for fewer",
    );
    expect(apart).toContain("fewer Tokens than `alpha-2.0`, `alpha-2.0-fast`.");
    const long = await (await harness.send("/docs/models/beta-3.0-video.md")).text();
    expect(long).toContain("The longest videos (up to 30 seconds), any whole number of seconds.");
    expect(video).toMatch(/\| `image_url` \| [^|]+ \| required \|/);
    expect(video).toMatch(/\| `duration` \| 2 to 15 seconds \| `5` \|/);
    expect(video).toContain('"credits": 500');
    expect((await harness.send("/docs/models/none")).status).toBe(404);
  });

  it("has prices in money too where the operator has set what a Token costs, and nowhere else", async () => {
    const paths = ["/docs/models.md", "/docs/models/beta-2.7-image-to-video.md"];
    const sources = (from: typeof harness) =>
      Promise.all(paths.map(async (path) => (await from.send(path)).text()));
    useCatalog(harness);
    priced.backends.listModels = harness.backends.listModels;
    const [catalog, model] = await sources(priced);
    expect(catalog).toContain("| 210 (about 2.10 USD) per 5 seconds |");
    expect(model).toContain("| `duration: 15` | 1,500 (about 15.00 USD) |");
    expect((await sources(harness)).join("")).not.toMatch(/about [\d.]+ [A-Z]{3}/);
  });

  it("answers a page that offers search, and what was meant, where there is none", async () => {
    const page = await harness.send("/docs/guides/webhook");
    expect([page.status, page.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    const text = await page.text();
    expect(text).toContain('id="search"');
  });

  it.each([
    ["guides/webhook", "guides/webhooks"],
    ["webhooks", "guides/webhooks"],
    ["pricing", "models"],
    ["getting-started", "guides/quickstart"],
    ["authentication", "guides/api-keys"],
    ["reference/videos/create", "reference/create-video-generation"],
    ["errors/insufficient_token", "errors/insufficient_tokens"],
    ["xyzzyplugh", undefined],
    [`guides/${"webhook".repeat(40)}`, undefined],
  ])("offers for /docs/%s what was meant first: %s", async (path, meant) => {
    const page = await harness.send(`/docs/${path}`);
    expect(page.status).toBe(404);
    const [, first] =
      /Did you mean:<\/p>\s*<ul>\s*<li><a href="\/docs\/(.*?)">/.exec(await page.text()) ?? [];
    expect(first).toBe(meant);
  });

  it("searches for the last words of an address only, because each costs time", () => {
    const searches: string[] = [];
    notFoundPage(`/docs/${"deliver-".repeat(8)}webhooks/again`, [], (words) => {
      searches.push(words);
      return [];
    });
    expect(searches).toEqual(["deliver deliver webhooks again"]);
  });

  it.each([
    ["", ""],
    ["guides", "guides/quickstart"],
    ["reference", "reference/create-video-generation"],
    ["errors", "guides/errors"],
    ["models/", "models"],
    ["guides/Quickstart", "guides/quickstart"],
    ["Models/Beta-3.0-Video", "models/beta-3.0-video"],
    ["guides/webhooks/", "guides/webhooks"],
    ["guides/webhooks.html", "guides/webhooks"],
    ["index.html", ""],
  ])("leads from /docs/%s to /docs/%s", async (path, meant) => {
    useCatalog(harness);
    const page = await fetch(`${harness.url}/docs/${path}`, { redirect: "manual" });
    expect([page.status, page.headers.get("location")]).toEqual([
      302,
      meant === "" ? "/docs" : `/docs/${meant}`,
    ]);
    expect((await harness.send(`/docs/${meant}`.replace(/\/$/, ""))).status).toBe(200);
  });

  it("has the parts of each page and its neighbours, all of which exist", async () => {
    const page = await (await harness.send("/docs/reference/create-video-generation")).text();
    const [, parts = ""] = /aria-label="On this page">(.*?)<\/nav>/s.exec(page) ?? [];
    const ids = [...parts.matchAll(/href="#(.*?)"/g)].map(([, id]) => id);
    expect(ids).toContain("response-202");
    for (const id of ids) expect(page).toContain(`<h2 id="${id}"><a href="#${id}">`);
    const webhooks = await (await harness.send("/docs/guides/webhooks")).text();
    expect(webhooks).toMatch(/<li data-depth="3"><a href="#without-a-library">/);
    let url: string | undefined = "/docs";
    const seen: string[] = [];
    while (url !== undefined) {
      seen.push(url);
      const text: string = await (await harness.send(url)).text();
      url = /<a href="([^"]+)" rel="next">/.exec(text)?.[1];
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(operations.length + 10);
  });

  it("has an icon and rules for what crawls at the root, where programs look for them", async () => {
    const icon = await harness.send("/favicon.ico");
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    const robots = await (await harness.send("/robots.txt")).text();
    expect(robots).toMatch(/^User-agent: \*$/m);
    expect(robots).toMatch(/^Allow: \/docs$/m);
  });

  it("is not sent again when it has not changed", async () => {
    const first = await harness.send("/docs/files/page.css");
    const etag = first.headers.get("etag") ?? "";
    const again = await fetch(`${harness.url}/docs/files/page.css`, {
      headers: { "if-none-match": etag },
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  it("has no other files", async () => {
    for (const path of [
      "/docs/none.html",
      "/docs.md",
      "/docs/none.md",
      "/docs/files/..%2fdocs.ts",
      "/docs/files/none.js",
    ]) {
      expect((await harness.send(path)).status).toBe(404);
    }
  });
});
