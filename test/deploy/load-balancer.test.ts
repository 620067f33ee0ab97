/** What the load balancer of compose.yaml answers itself, when no gateway can take a request, and what it passes on. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { locateUnpacked } from "../../scripts/test-tools.mjs";
import { IMAGE_WAIT_SECONDS } from "../../services/gateway/edge/operations/create.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { contractViolations } from "../support/answer-checks.ts";
import { readCompose } from "../support/compose/compose-file.ts";
import { startLoadBalancer } from "../support/compose/load-balancer.ts";
import { startHttp } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** To one gateway at a time: in this test a hundredth of what compose.yaml says. */
const MAX_REQUESTS = 20;
const PATH = "/v1/models";
const CREATE_PATH = "/v1/videos/generations";
/** Of one address. */
const MAX_CONNECTIONS = 10;
/** Here the gateway ends within the request. */
const ENDING_PATH = "/v1/balance";
/** Here it ends within the first request of each method and key. */
const ENDING_ONCE_PATH = "/once";
const FORWARDED_PATH = "/forwarded";
/** Here the gateway answers so itself, as for an image that its upstream has failed. */
const FAILING_PATHS = { "/failed": 502, "/late": 504 };
/** The contract's 503 has Retry-After. */
const REFUSED = { status: 503, violations: [] };
const found = locateUnpacked("haproxy");

describe.skipIf(!found)("the load balancer, where it could be fetched", () => {
  const stack = new AsyncDisposableStack();
  const held: ServerResponse[] = [];
  /** What requests to `FORWARDED_PATH` say of the client's address. */
  const forwarded: unknown[] = [];
  /** Methods and keys of the requests to `ENDING_ONCE_PATH`. */
  const received: string[] = [];
  let port: number;
  let configuration: string;
  let gateway: Awaited<ReturnType<typeof startHttp>>;

  /** Answers probes, and nothing else. */
  beforeAll(async () => {
    gateway = await startHttp(({ url, method = "", headers }, response) => {
      if (url === PATH) held.push(response);
      else if (url === FORWARDED_PATH) {
        const said = Object.entries(headers).filter(([name]) => name.startsWith("x-forwarded"));
        forwarded.push(Object.fromEntries(said));
        response.end();
      } else if (url === ENDING_PATH) response.socket?.destroy();
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
    const { path: folder } = stack.use(await temporaryFolder());
    const configs = readCompose(() => "any").get("load-balancer")?.configs ?? {};
    // The gateway is this busy process: what it answers late says nothing of it.
    configuration = (Object.values(configs)[0] ?? "")
      .replace(/ fall \d+ /, " fall 1000 ")
      .replaceAll(/(?<=(?:gt|maxconn) [12])000\b/g, "0");
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
  const GET = `GET ${PATH} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
  const open = (request: string, localAddress: string) => {
    const client = connect({ port, host: "127.0.0.1", localAddress });
    client.on("error", () => {});
    client.write(request);
    return client;
  };
  /** What the load balancer answers on the connection until it closes it. */
  const answerTo = async (client: Socket, method: string, path: string) => {
    const [head = "", body = ""] = (await text(client)).split("\r\n\r\n");
    const [first = "", ...fields] = head.split("\r\n");
    const headers = fields.map((field) => field.split(/: *(.*)/s, 2) as [string, string]);
    const status = Number(first.split(" ")[1]);
    const response = new Response(body, { status, headers });
    return { status, violations: contractViolations(method, path, response, body) };
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

  it("says where a client is by its own connection, whatever the client says, and the gateways believe nobody else", async () => {
    const forged = { "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Host": "example.com" };
    await fetch(`http://127.0.0.1:${port}${FORWARDED_PATH}`, { headers: forged });
    expect(forwarded).toEqual([{ "x-forwarded-for": "127.0.0.1" }]);
    const services = readCompose(() => "any");
    const { TRUSTED_PROXIES } = services.get("gateway")?.environment ?? {};
    expect(TRUSTED_PROXIES).toBe(services.get("load-balancer")?.address);
  });

  it("keeps what a client does not send for itself, and tells the client", async () => {
    const before = held.length;
    const head = `POST ${CREATE_PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n`;
    expect(await answerTo(open(head, "127.0.0.1"), "POST", CREATE_PATH)).toMatchObject({
      status: 400,
      violations: [],
    });
    expect(held).toHaveLength(before);
  });

  it("refuses as the contract says what one address has too many connections for, and serves others", async () => {
    const clients = Array.from({ length: MAX_CONNECTIONS }, () => open(GET, "127.0.0.2"));
    await expect.poll(() => held.length).toBe(MAX_CONNECTIONS);
    const beyond = open(GET.replace("\r\n", "\r\nconnection: close\r\n"), "127.0.0.2");
    expect(await answerTo(beyond, "GET", PATH)).toEqual({ status: 429, violations: [] });
    clients.push(open(GET, "127.0.0.1"));
    await expect.poll(() => held.length).toBe(MAX_CONNECTIONS + 1);
    const answered = clients.map((client) => once(client, "data"));
    for (const response of held.splice(0)) response.end();
    await Promise.all(answered);
    for (const client of clients) client.destroy();
  });

  it("refuses as the contract says what a gateway has no connection for", async () => {
    const clients = Array.from({ length: MAX_REQUESTS }, (_, index) =>
      open(GET, `127.0.0.${2 + (index % 4)}`),
    );
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
