/** FetchInput: which pictures it fetches, which URLs it refuses, and that its errors reveal nothing. */
import type { RequestListener } from "node:http";
import type { Agent } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { allowNone, parseCidrs } from "#runtime/address.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { PICTURE_LIMITS, pictureFetcher } from "../../../services/delivery/download/fetch.ts";
import {
  createGuardedAgent,
  type Resolve,
} from "../../../services/delivery/egress/guarded-agent.ts";
import { routes } from "../../../services/delivery/rpc-routes.ts";
import { startHttp } from "../../support/http-server.ts";
import { makeImage, makeVideo } from "../../support/make-media.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { memoryClient } from "../../support/rpc.ts";
import { testDeps } from "../test-deps.ts";

const loopback = parseCidrs(["127.0.0.0/8"]);
const agents: Agent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.destroy();
});

type ClientOptions = {
  allow?: typeof loopback;
  resolve?: Resolve;
  limits?: Partial<typeof PICTURE_LIMITS>;
};

function clientOf({ allow = loopback, resolve, limits }: ClientOptions = {}) {
  const agent = createGuardedAgent({ allow, ...(resolve ? { resolve } : {}) });
  agents.push(agent);
  const sql = connectPostgres({ url: "postgres://none.invalid/none", maxConnections: 1 }, "test");
  const deps = testDeps({ sql, clock: manualClock(), allowAddress: allow });
  const fetchPicture = pictureFetcher({ ...deps, agent, allow }, { ...PICTURE_LIMITS, ...limits });
  return memoryClient(DeliveryService, routes({ ...deps, fetchPicture }));
}

type Refusal = { reason: ErrorReason | undefined; field: string | undefined; message: string };

async function refusalOf(url: string, set?: ClientOptions): Promise<Refusal | undefined> {
  return clientOf(set)
    .fetchInput({ url })
    .then(
      () => undefined,
      (error: unknown) => {
        const [fault] = faultsOf(error);
        return { reason: fault?.reason, field: fault?.field, message: fault?.message ?? "" };
      },
    );
}

const MESSAGE = "no readable picture of at most 20 MB could be fetched from this URL";
const unreadable = { reason: ErrorReason.INVALID_FIELD, field: "url", message: MESSAGE };
const retryable = { reason: ErrorReason.UNAVAILABLE, field: "url", message: MESSAGE };

const refusalOfAnswer = async (listener: RequestListener, set?: ClientOptions) => {
  await using server = await startHttp(listener);
  return await refusalOf(server.url, set);
};
const refusalOfBytes = (bytes: Uint8Array, set?: ClientOptions) =>
  refusalOfAnswer((_, response) => response.on("error", () => undefined).end(bytes), set);

describe("a picture", () => {
  it.each(["png", "jpeg", "webp"] as const)(
    "that is a %s is returned as it is, typed by its bytes and not by the response",
    async (kind) => {
      const image = makeImage(kind);
      await using server = await startHttp((_, response) => {
        response.writeHead(200, { "content-type": "text/html" }).end(image);
      });
      const { content, contentType } = await clientOf().fetchInput({ url: server.url });
      expect(contentType).toBe(`image/${kind}`);
      expect(Buffer.from(content).equals(image)).toBe(true);
    },
  );

  it("is fetched through three redirects, but not through four", async () => {
    const listener: RequestListener = (request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end(makeImage("png"));
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    };
    await using server = await startHttp(listener);
    const found = await clientOf().fetchInput({ url: `${server.url}/3` });
    expect(found.contentType).toBe("image/png");
    expect(await refusalOf(`${server.url}/4`)).toEqual(unreadable);
  });

  it("of too many pixels is refused, by its header alone", async () => {
    const bomb = Buffer.from(makeImage("png"));
    bomb.writeUInt32BE(60_000, 16);
    bomb.writeUInt32BE(60_000, 20);
    expect(await refusalOfBytes(bomb)).toEqual(unreadable);
  });

  it("that is truncated or not a picture is refused", async () => {
    const png = makeImage("png");
    expect(await refusalOfBytes(Buffer.from("<html>"))).toEqual(unreadable);
    expect(await refusalOfBytes(Buffer.alloc(0))).toEqual(unreadable);
    expect(await refusalOfBytes(await makeVideo())).toEqual(unreadable);
    expect(await refusalOfBytes(png.subarray(0, png.byteLength - 6))).toEqual(unreadable);
  });

  it.each([
    ["refused for good", unreadable, [400, 401, 403, 404, 410, 204, 304]],
    ["to be tried again", retryable, [408, 425, 429, 500, 502, 503]],
  ])("whose answer has another status is %s", async (_what, refusal, statuses) => {
    for (const status of statuses) {
      const answer: RequestListener = (_, response) => response.writeHead(status).end();
      expect({ status, ...(await refusalOfAnswer(answer)) }).toEqual({ status, ...refusal });
    }
  });
});

describe("the URL of a picture", () => {
  const resolve: Resolve = () => Promise.reject(new Error("DNS was called"));

  it.each(["http://example.com/a.png", "https://10.0.0.1/a.png", "file:///etc/passwd", "no url"])(
    "%s is refused without DNS or a connection",
    async (url) => {
      expect(await refusalOf(url, { allow: allowNone, resolve })).toEqual(unreadable);
    },
  );

  it.each([
    "https://169.254.169.254/latest/meta-data",
    "http://8.8.8.8/a.png",
    "file:///etc/passwd",
    "https://[no-url",
  ])("that redirects to %s is refused there", async (location) => {
    const redirect: RequestListener = (_, response) => {
      response.writeHead(302, { location }).end();
    };
    expect(await refusalOfAnswer(redirect)).toEqual(unreadable);
  });
});

describe("an error", () => {
  it("is the same for a port that is closed or silent, hangs up, stalls, fails, or speaks no TLS", async () => {
    const closed = await startHttp(() => undefined);
    await closed[Symbol.asyncDispose]();
    const limits = { deadlineMs: 200 };
    const hangUp: RequestListener = (_, response) => void response.destroy();
    const halfway: RequestListener = (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    };
    const drip: RequestListener = (_, response) => {
      const timer = setInterval(() => response.write("."), 10);
      response.on("close", () => clearInterval(timer));
    };
    const seen = [
      await refusalOf(closed.url),
      await refusalOfAnswer(() => undefined, { limits }),
      await refusalOfAnswer(drip, { limits }),
      await refusalOfAnswer(hangUp),
      await refusalOfAnswer(halfway),
      await refusalOf(closed.url.replace("http:", "https:")),
    ];
    expect(seen).toEqual(seen.map(() => retryable));
  });
});
