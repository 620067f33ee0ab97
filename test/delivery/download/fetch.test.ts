/** Downloads, and those of pictures of clients: what is taken, what is refused, and that errors reveal nothing. */
import type { RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { Agent } from "undici";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { allowNone, parseCidrs } from "#runtime/address.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { PICTURE_LIMITS, pictureFetcher } from "../../../services/delivery/download/fetch.ts";
import { createGuardedAgent } from "../../../services/delivery/egress/guarded-agent.ts";
import { download, type Download } from "../../../services/delivery/egress/request.ts";
import { openPool } from "../../support/database.ts";
import { startHttp } from "../../support/http-server.ts";
import { makeImage, makeVideo } from "../../support/make-media.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { rpcOf, testDeps } from "../test-deps.ts";

const CONTENT = Buffer.alloc(300_000, "media ");
const WHOLE = { outcome: "ok", isWhole: true };
const loopback = parseCidrs(["127.0.0.0/8"]);
const direct = new Agent();
const strict = createGuardedAgent({ allow: allowNone, plainHttp: true });
const lenient = createGuardedAgent({ allow: loopback });
const noDns = () => Promise.reject(new Error("DNS was called"));
const unresolving = createGuardedAgent({ allow: allowNone, resolve: noDns });
afterAll(async () => {
  for (const agent of [direct, strict, lenient, unresolving]) await agent.destroy();
});

const redirectTo =
  (location: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, { location }).end();

async function served<T>(listener: RequestListener, use: (url: string) => Promise<T>): Promise<T> {
  await using server = await startHttp(listener);
  return await use(server.url);
}

const from = () => ({ guarded: lenient, maxBytes: 1_000_000, signal: AbortSignal.timeout(5_000) });

/** The outcome of a download; whether a file has the expected content. */
async function outcomeOf(url: string, more: Partial<Download> = {}): Promise<unknown> {
  const result = await download(url, { ...from(), ...more }, (chunks) => buffer(chunks));
  return result.outcome === "ok"
    ? { outcome: result.outcome, isWhole: result.value.equals(CONTENT) }
    : result;
}
const outcomeOfAnswer = (listener: RequestListener, more?: Partial<Download>) =>
  served(listener, (url) => outcomeOf(url, more));

describe("a file", () => {
  it("without a Content-Length is fetched to its end", async () => {
    const result = await outcomeOfAnswer((_, response) => {
      response.write(CONTENT.subarray(0, 1_000));
      response.end(CONTENT.subarray(1_000));
    });
    expect(result).toEqual(WHOLE);
  });

  it("may have a private address at a configured origin, but not where that redirects to", async () => {
    const blocked = { outcome: "unusable", reason: "blocked_address" };
    const configured = { guarded: strict, direct };
    await using server = await startHttp((_, response) => response.end(CONTENT));
    const { url } = server;
    expect(await outcomeOf(url, { guarded: strict })).toEqual(blocked);
    expect(await outcomeOf(url, configured)).toEqual(WHOLE);
    expect(await outcomeOfAnswer(redirectTo(url), configured)).toEqual(blocked);
  });

  it("that its reader fails to keep is no fault of the source", async () => {
    const keep = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const _ of chunks) throw new Error("the disk is full");
    };
    await using server = await startHttp((_, response) => void response.write(CONTENT));
    await expect(download(server.url, from(), keep)).rejects.toThrow("the disk is full");
  });

  it("that ends before its Content-Length is retryable", async () => {
    const result = await outcomeOfAnswer((_, response) => {
      response.writeHead(200, { "content-length": CONTENT.byteLength });
      response.write(CONTENT.subarray(0, 1_000), () => response.destroy());
    });
    expect(result).toEqual({ outcome: "retryable", reason: "connection_reset" });
  });

  it.each<[string, RequestListener]>([
    [
      "announces",
      (_, response) => response.writeHead(200, { "content-length": 1_001 }).flushHeaders(),
    ],
    ["sends", (_, response) => void response.write(Buffer.alloc(1_001))],
  ])("that %s more than the limit is refused for good before it ends", async (_, listener) => {
    const result = await outcomeOfAnswer(listener, { maxBytes: 1_000 });
    expect(result).toEqual({ outcome: "refused", reason: "more than 1000 bytes" });
  });
});

type Options = { agent?: Agent; allow?: typeof loopback; limits?: Partial<typeof PICTURE_LIMITS> };

function fetchInput(url: string, { agent = lenient, allow = loopback, limits }: Options = {}) {
  const sql = openPool("postgres://none.invalid/none");
  const deps = testDeps({ sql, clock: manualClock(), allowAddress: allow });
  const fetchPicture = pictureFetcher({ ...deps, agent }, { ...PICTURE_LIMITS, ...limits });
  return rpcOf({ ...deps, fetchPicture }).fetchInput({ url });
}

const refusalOf = (url: string, options?: Options) =>
  fetchInput(url, options).then(
    () => undefined,
    (error: unknown) => {
      const { reason, field, message } = faultsOf(error)[0] ?? {};
      return { reason, field, message };
    },
  );
const refusalOfAnswer = (listener: RequestListener, options?: Options) =>
  served(listener, (url) => refusalOf(url, options));

const MESSAGE = "no readable picture of at most 20 MB could be fetched from this URL";
const unreadable = { reason: ErrorReason.INVALID_FIELD, field: "url", message: MESSAGE };
const retryable = { reason: ErrorReason.UNAVAILABLE, field: "url", message: MESSAGE };

describe("a picture", () => {
  it.each(["png", "jpeg", "webp"] as const)(
    "that is a %s is returned as it is, typed by its bytes and not by the response",
    async (kind) => {
      const image = makeImage(kind);
      const answer: RequestListener = (_, response) =>
        void response.writeHead(200, { "content-type": "text/html" }).end(image);
      const { content, contentType } = await served(answer, fetchInput);
      expect(contentType).toBe(`image/${kind}`);
      expect(Buffer.from(content).equals(image)).toBe(true);
    },
  );

  it("is fetched through three redirects, but not through four", async () => {
    await using server = await startHttp((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end(makeImage("png"));
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await fetchInput(`${server.url}/3`)).contentType).toBe("image/png");
    expect(await refusalOf(`${server.url}/4`)).toEqual(unreadable);
  });

  it("that is truncated, none at all, or of too many pixels by its header is refused", async () => {
    const png = makeImage("png");
    const bomb = Buffer.from(png);
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    const half = png.subarray(0, png.byteLength - 6);
    for (const bytes of [half, Buffer.from("<html>"), Buffer.alloc(0), await makeVideo(), bomb]) {
      const refusal = await refusalOfAnswer((_, response) =>
        response.on("error", () => undefined).end(bytes),
      );
      expect(refusal).toEqual(unreadable);
    }
  });
});

describe("an answer with another status than 200", () => {
  it.each([
    ["gone", unreadable, [403, 404, 410]],
    ["unusable", unreadable, [204, 206, 304, 400, 401]],
    ["retryable", retryable, [408, 425, 429, 500, 502, 503]],
  ])("is %s, and %j for a client's picture: %j", async (outcome, refusal, all) => {
    for (const status of all) {
      await using server = await startHttp((_, response) => response.writeHead(status).end("over"));
      expect(await outcomeOf(server.url)).toEqual({ outcome, reason: `status ${status}` });
      expect({ status, ...(await refusalOf(server.url)) }).toEqual({ status, ...refusal });
    }
  });
});

describe("the URL of a picture", () => {
  it.each(["http://example.com/a.png", "https://10.0.0.1/a.png", "file:///etc/passwd", "no url"])(
    "%s is refused without DNS or a connection",
    async (url) => {
      expect(await refusalOf(url, { allow: allowNone, agent: unresolving })).toEqual(unreadable);
    },
  );

  it.each([
    "https://169.254.169.254/latest/meta-data",
    "http://8.8.8.8/a.png",
    "file:///etc/passwd",
    "https://[no-url",
  ])("that redirects to %s is refused there", async (location) => {
    expect(await refusalOfAnswer(redirectTo(location))).toEqual(unreadable);
  });
});

it("an error is the same for a port that is closed or silent, hangs up, stalls, fails, or speaks no TLS", async () => {
  const closed = await startHttp(() => undefined);
  await closed[Symbol.asyncDispose]();
  const limits = { deadlineMs: 200 };
  const drip: RequestListener = (_, response) => {
    const timer = setInterval(() => response.write("."), 10);
    response.on("close", () => clearInterval(timer));
  };
  const seen = [
    await refusalOf(closed.url),
    await refusalOfAnswer(() => undefined, { limits }),
    await refusalOfAnswer(drip, { limits }),
    await refusalOfAnswer((_, response) => void response.destroy()),
    await refusalOf(closed.url.replace("http:", "https:")),
  ];
  expect(seen).toEqual(seen.map(() => retryable));
});
