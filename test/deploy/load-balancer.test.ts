/** What the load balancer of compose.yaml answers itself, when no gateway can take a request, and what it passes on. */
import { mkdtemp, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { locateHaproxy } from "../../scripts/haproxy.mjs";
import { IMAGE_WAIT_SECONDS } from "../../services/gateway/operations/create-image-generation.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { contractViolations } from "../support/answer-checks.ts";
import { readCompose } from "../support/compose/compose-file.ts";
import { startLoadBalancer } from "../support/compose/load-balancer.ts";
import { startHttp } from "../support/http-server.ts";

/** To one gateway at a time, by compose.yaml. */
const MAX_REQUESTS = 2_000;
const PATH = "/v1/models";
/** Here the gateway ends within the request. */
const ENDING_PATH = "/v1/balance";
/** Here it ends within the first request of each method and key. */
const ENDING_ONCE_PATH = "/once";
/** Here the gateway answers so itself, as for an image that its upstream has failed. */
const FAILING_PATHS = { "/failed": 502, "/late": 504 };
/** The contract's 503 has Retry-After. */
const REFUSED = { status: 503, violations: [] };
const found = locateHaproxy();

describe.skipIf(!found)("the load balancer, where scripts/haproxy.mjs could fetch it", () => {
  const stack = new AsyncDisposableStack();
  const held: ServerResponse[] = [];
  /** Methods and keys of the requests to `ENDING_ONCE_PATH`. */
  const received: string[] = [];
  let port: number;
  let configuration: string;
  let gateway: Awaited<ReturnType<typeof startHttp>>;

  /** Answers probes, and nothing else. */
  beforeAll(async () => {
    gateway = await startHttp(({ url, method = "", headers }, response) => {
      if (url === PATH) held.push(response);
      else if (url === ENDING_PATH) response.socket?.destroy();
      else if (url === ENDING_ONCE_PATH) {
        const request = `${method} ${String(headers["idempotency-key"])}`;
        if (received.includes(request)) response.end();
        else response.socket?.destroy();
        received.push(request);
      } else {
        response.statusCode = FAILING_PATHS[url as keyof typeof FAILING_PATHS] ?? 200;
        response.end();
      }
    });
    const folder = await mkdtemp(join(tmpdir(), "media-balancer-"));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const configs = readCompose(() => "any").get("load-balancer")?.configs ?? {};
    configuration = Object.values(configs)[0] ?? "";
    port = await freePort();
    const gateways = [{ name: "gateway-1", ports: new Map([[8080, gateway.port]]) }];
    stack.use(await startLoadBalancer(configuration, join(folder, "haproxy.cfg"), port, gateways));
  });
  afterAll(() => stack.disposeAsync());

  const answer = async (path = PATH) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const violations = contractViolations("GET", path, response, await response.text());
    return { status: response.status, violations };
  };

  // Where it may not repeat a request and the client has been answered before, HAProxy closes the client's connection instead.
  it("refuses as the contract says when a gateway ends within the request", async () => {
    expect(await answer(ENDING_PATH)).toEqual(REFUSED);
  });

  it("repeats what is safe to repeat, and nothing else, when a gateway ends within it", async () => {
    const send = (init?: RequestInit) =>
      fetch(`http://127.0.0.1:${port}${ENDING_ONCE_PATH}`, init).catch(() => {});
    await send();
    await send({ method: "POST", headers: { "Idempotency-Key": "a" } });
    await send({ method: "POST" });
    const get = "GET undefined";
    expect(received).toEqual([get, get, "POST a", "POST a", "POST undefined"]);
  });

  it("passes on what a gateway answers, failures of upstreams too", async () => {
    for (const [path, status] of Object.entries(FAILING_PATHS)) {
      expect(await fetch(`http://127.0.0.1:${port}${path}`)).toHaveProperty("status", status);
    }
  });

  it("waits for longer than a gateway waits for an image", () => {
    const seconds = /^\s*timeout server (\d+)s$/m.exec(configuration)?.[1];
    expect(Number(seconds)).toBeGreaterThan(IMAGE_WAIT_SECONDS);
  });

  it("refuses as the contract says what a gateway has no connection for", async () => {
    const clients = Array.from({ length: MAX_REQUESTS }, () => {
      const client = connect(port, "127.0.0.1");
      client.on("error", () => {});
      client.write(`GET ${PATH} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      return client;
    });
    await expect.poll(() => held.length).toBe(MAX_REQUESTS);
    expect(await answer()).toEqual(REFUSED);
    expect(held).toHaveLength(MAX_REQUESTS);
    for (const client of clients) client.destroy();
  });

  it("refuses as the contract says when there is no gateway", async () => {
    await gateway[Symbol.asyncDispose]();
    expect(await answer()).toEqual(REFUSED);
  });
});
