/** The dashboard's pages: caching and the content security policy. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fastify from "fastify";
import { pages } from "../../../services/gateway/dashboard/pages.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const directory = folderForTests();

const app = fastify();
const assetBaseUrl = () => "https://cdn.example.com/assets";
await app.register(pages(assetBaseUrl, directory));
afterAll(() => app.close());

const get = (url: string, headers = {}) => app.inject({ url, headers });

describe("the dashboard's pages", () => {
  it("explain how to build them while they are missing, and are served once built", async () => {
    const absent = await get("/dashboard");
    expect([absent.statusCode, absent.body]).toEqual([503, expect.stringContaining("setup.mjs")]);
    await mkdir(join(directory, "assets"));
    await writeFile(join(directory, "assets/app-abc123.js"), "let a = 1;\n".repeat(200));
    await writeFile(
      join(directory, "index.html"),
      '<script nonce="__CSP_NONCE__"></script><style nonce="__CSP_NONCE__"></style>',
    );
    expect((await get("/dashboard")).statusCode).toBe(200);
  });

  it("have a policy that allows nothing inline without the nonce of that one response", async () => {
    const [one, two] = [await get("/dashboard/keys/any"), await get("/dashboard")];
    const policy = String(one.headers["content-security-policy"]);
    const nonce = /script-src 'self' 'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? "";
    expect(one.body).toBe(`<script nonce="${nonce}"></script><style nonce="${nonce}"></style>`);
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toMatch(/; frame-ancestors 'none'$/);
    expect(policy).not.toMatch(/unsafe/);
    expect(policy).toContain("media-src 'self' blob: https://cdn.example.com;");
    expect(two.body).not.toContain(nonce);
    expect(one.headers["cache-control"]).toBe("no-store");
  });

  it("are cached for good when their names contain a hash, and are compressed", async () => {
    const path = "/dashboard/assets/app-abc123.js";
    const answer = await get(path, { "accept-encoding": "br, gzip" });
    expect(answer.headers).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": "gzip",
      "content-type": "text/javascript; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
    expect(answer.rawPayload.length).toBeLessThan(200);
    const again = await get(path, { "if-none-match": answer.headers.etag });
    expect(again.statusCode).toBe(304);
    expect((await get(path)).body).toMatch(/^let a/);
  });

  it("are not sent for an unknown file or an unknown API route", async () => {
    for (const url of [
      "/dashboard/assets/old.js",
      "/dashboard/api/nothing",
      "/dashboard/..%2fa.js",
    ])
      expect((await get(url)).body).not.toContain("<script");
  });
});
