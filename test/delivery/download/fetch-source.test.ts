/** Fetching a source: what is stored, what is refused, and that no temporary file is left behind. */
import { readdir, readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { Agent } from "undici";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  fetchSource,
  type FetchResult,
  type FileSource,
} from "../../../services/delivery/download/fetch.ts";
import { createGuardedAgent } from "../../../services/delivery/egress/guarded-agent.ts";
import { allowNone, parseCidrs } from "#runtime/address.ts";
import { startHttp } from "../../support/http-server.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const CONTENT = Buffer.alloc(300_000, "media ");
const WHOLE = { outcome: "ok", isWhole: true };
const direct = new Agent();
const strict = createGuardedAgent({ allow: allowNone, plainHttp: true });
const lenient = createGuardedAgent({ allow: parseCidrs(["127.0.0.0/8"]) });
const directory = folderForTests();

afterEach(async () => {
  const left = await readdir(directory);
  if (left.length > 0) throw new Error(`left behind: ${left.join(", ")}`);
});
afterAll(async () => {
  for (const agent of [direct, strict, lenient]) await agent.destroy();
});

const fetchFrom = (source: FileSource, guarded = lenient, limits = {}): Promise<FetchResult> =>
  fetchSource({ guarded, direct, directory }, source, {
    maxBytes: 1_000_000,
    deadlineMs: 5_000,
    ...limits,
  });
const at = (url: string, configuredOrigin = false): FileSource => ({ url, configuredOrigin });

async function outcomeOf(listener: RequestListener, limits = {}): Promise<FetchResult> {
  await using server = await startHttp(listener);
  return await fetchFrom(at(server.url), lenient, limits);
}

/** The result without its path, and whether the file has the expected content; disposes of the file. */
async function kept(result: FetchResult): Promise<unknown> {
  if (result.outcome !== "ok") return result;
  await using file = result;
  const isWhole = (await readFile(file.path)).equals(CONTENT);
  return { outcome: file.outcome, isWhole };
}

describe("a source", () => {
  it("without a Content-Length is fetched to its end", async () => {
    const listener: RequestListener = (_, response) => {
      response.write(CONTENT.subarray(0, 1_000));
      response.end(CONTENT.subarray(1_000));
    };
    expect(await kept(await outcomeOf(listener))).toEqual(WHOLE);
  });

  it("of a configured origin is fetched even if its address is private", async () => {
    await using server = await startHttp((_, response) => response.end(CONTENT));
    const refused = await fetchFrom(at(server.url), strict);
    expect(refused).toEqual({ outcome: "retryable", reason: "blocked_address" });
    expect(await kept(await fetchFrom(at(server.url, true), strict))).toEqual(WHOLE);
  });

  it.each([
    [[403, 404, 410], (statusCode: number) => ({ outcome: "gone", statusCode })],
    [
      [204, 206, 304, 400, 401, 429, 500, 503],
      (code: number) => ({ outcome: "retryable", reason: `status ${code}` }),
    ],
  ])("answered %j is gone, or may be fetched again", async (statuses, expected) => {
    for (const status of statuses) {
      const result = await outcomeOf((_, response) => response.writeHead(status).end("over"));
      expect(result).toEqual(expected(status));
    }
  });

  it("that ends before its Content-Length is retryable", async () => {
    const result = await outcomeOf((_, response) => {
      response.writeHead(200, { "content-length": CONTENT.byteLength });
      response.write(CONTENT.subarray(0, 1_000), () => response.destroy());
    });
    expect(result).toEqual({ outcome: "retryable", reason: "connection_reset" });
  });

  it("that announces more than the limit is refused for good before any of it is sent", async () => {
    const result = await outcomeOf(
      (_, response) => {
        response.writeHead(200, { "content-length": 1_001 }).flushHeaders();
      },
      { maxBytes: 1_000 },
    );
    expect(result).toEqual({ outcome: "refused", reason: "more than 1000 bytes" });
  });

  it("that sends more than the limit without announcing it is refused for good before it ends", async () => {
    const result = await outcomeOf((_, response) => void response.write(Buffer.alloc(1_001)), {
      maxBytes: 1_000,
    });
    expect(result).toEqual({ outcome: "refused", reason: "more than 1000 bytes" });
  });

  it("that sends slowly is given up at the deadline", async () => {
    const drip: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write("."), 10);
      response.on("close", () => clearInterval(timer));
    };
    const result = await outcomeOf(drip, { deadlineMs: 200 });
    expect(result).toEqual({ outcome: "retryable", reason: "timeout" });
  });

  it("with an unusable URL is retryable", async () => {
    expect(await fetchFrom(at("not a url"))).toMatchObject({ outcome: "retryable" });
    expect(await fetchFrom(at("file:///etc/passwd", true))).toMatchObject({ outcome: "retryable" });
  });
});

describe("a redirect", () => {
  it("from a configured origin to a private address of another origin is refused", async () => {
    await using other = await startHttp((_, response) => response.end(CONTENT));
    await using server = await startHttp((_, response) => {
      response.writeHead(302, { location: other.url }).end();
    });
    const result = await fetchFrom(at(server.url, true), strict);
    expect(result).toEqual({ outcome: "retryable", reason: "blocked_address" });
  });

  it("in a loop is given up", async () => {
    const result = await outcomeOf((_, response) => {
      response.writeHead(302, { location: "/again" }).end();
    });
    expect(result).toEqual({ outcome: "retryable", reason: "too many redirects" });
  });
});
