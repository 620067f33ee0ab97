import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPlainLoopback } from "../../../services/gateway/dashboard/auth.ts";
import { isSameOrigin } from "../../../services/gateway/dashboard/same-origin.ts";
import { pages } from "../../../services/gateway/dashboard/pages.ts";

let directory: string;
let app: FastifyInstance;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "dashboard-pages-"));
  app = fastify();
  const assetBaseUrl = () => "https://cdn.example.com/assets";
  await app.register(pages({ assetBaseUrl, directory }));
});
afterAll(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

const get = (url: string, headers = {}) => app.inject({ url, headers });

describe("the dashboard's pages", () => {
  it("say what to do where they are not built, and are there once they are", async () => {
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

  it("come with a policy that nothing inline passes without the nonce of that one answer", async () => {
    const [one, two] = [await get("/dashboard/keys/any"), await get("/dashboard")];
    const policy = String(one.headers["content-security-policy"]);
    const nonce = /script-src 'self' 'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? "";
    expect(one.body).toBe(`<script nonce="${nonce}"></script><style nonce="${nonce}"></style>`);
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).not.toMatch(/unsafe/);
    expect(policy).toContain("media-src 'self' blob: https://cdn.example.com;");
    expect(two.body).not.toContain(nonce);
    expect(one.headers["cache-control"]).toBe("no-store");
  });

  it("are cached for good where their names have a hash, and are sent small", async () => {
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

  it("are not what an unknown file or an unknown route of theirs is answered with", async () => {
    for (const url of [
      "/dashboard/assets/old.js",
      "/dashboard/api/nothing",
      "/dashboard/..%2fa.js",
    ]) {
      expect((await get(url)).body).not.toContain("<script");
    }
  });
});

describe("the same-origin check", () => {
  it.each([
    [true, { "sec-fetch-site": "same-origin", origin: "http://localhost:8080" }],
    [true, { origin: "https://media.example.com" }],
    [false, { "sec-fetch-site": "none" }],
    [false, { "sec-fetch-site": "cross-site", origin: "https://media.example.com" }],
    [false, { origin: "https://media.example.com.evil.com" }],
    [false, { origin: "http://media.example.com" }],
    [false, {}],
  ])("is %s for %j", (expected, headers) => {
    expect(isSameOrigin(headers, "https://media.example.com")).toBe(expected);
  });
});

describe("the session's cookie", () => {
  it.each([
    [false, "http://localhost:8080"],
    [false, "http://127.0.0.1:8080"],
    [false, "http://[::1]:8080"],
    [true, "https://localhost:8080"],
    [true, "https://media.example.com"],
    [true, "http://media.example.com"],
    [true, "http://127.0.0.1.example.com"],
  ])("is Secure: %s, for %s", (isSecure, publicUrl) => {
    expect(isPlainLoopback(publicUrl)).toBe(!isSecure);
  });
});
