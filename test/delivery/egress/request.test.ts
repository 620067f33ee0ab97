/** The guarded request: which addresses it connects to, its deadline, how much it reads, and its error codes. */
import type { RequestListener } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Agent } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import {
  createGuardedAgent,
  type GuardedAgentOptions,
  type Resolve,
} from "../../../services/delivery/egress/guarded-agent.ts";
import { guardedRequest, type GuardedRequest } from "../../../services/delivery/egress/request.ts";
import { allowNone, parseCidrs } from "#runtime/address.ts";
import { startHttp } from "../../support/http-server.ts";
import { REFUSED_HOSTS } from "../../support/refused-hosts.ts";

const loopback = parseCidrs(["127.0.0.0/8"]);
const agents: Agent[] = [];
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.destroy();
});

function agentOf(options: Partial<GuardedAgentOptions> = {}): Agent {
  const agent = createGuardedAgent({ allow: allowNone, ...options });
  agents.push(agent);
  return agent;
}

const send = (agent: Agent, url: string, more: Partial<GuardedRequest> = {}) =>
  guardedRequest(agent, {
    url,
    headers: { "content-type": "application/json" },
    body: "{}",
    deadlineMs: 5_000,
    maxResponseBytes: 2_000,
    ...more,
  });

const resolvesTo =
  (...addresses: string[]): Resolve =>
  () =>
    Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

describe("a connection", () => {
  it.each(REFUSED_HOSTS)("to %s is refused without DNS", async (host) => {
    const resolve: Resolve = () => Promise.reject(new Error("DNS was called"));
    const result = await send(agentOf({ resolve }), `https://${host}/`);
    // The request fails before the connection if the host cannot be parsed.
    const error = URL.canParse(`https://${host}/`) ? "blocked_address" : "network_error";
    expect(result).toEqual({ ok: false, error });
  });

  it.each(["http://example.com/", "https://example.com:22/", "http://8.8.8.8/"])(
    "to %s is refused, even if the caller did not check the URL",
    async (url) => {
      const resolve: Resolve = () => Promise.reject(new Error("DNS was called"));
      expect(await send(agentOf({ resolve }), url)).toEqual({
        ok: false,
        error: "blocked_address",
      });
    },
  );
});

describe("a DNS response", () => {
  it.each([
    ["loopback", ["127.0.0.1"]],
    ["a metadata service", ["169.254.169.254"]],
    ["public and then loopback", ["8.8.8.8", "127.0.0.1"]],
    ["loopback in IPv6 among public ones", ["8.8.8.8", "2606:4700::1111", "::1"]],
    ["an IPv4-mapped address", ["::ffff:10.0.0.1"]],
    ["a name instead of an address", ["localhost"]],
  ])("with %s blocks the host", async (_, addresses) => {
    const agent = agentOf({ resolve: resolvesTo(...addresses) });
    expect(await send(agent, "https://rebound.example/")).toEqual({
      ok: false,
      error: "blocked_address",
    });
  });

  it("is requested once per connection, and its addresses are the ones dialled", async () => {
    await using server = await startHttp((_, response) => response.end("hello"));
    const hostnames: string[] = [];
    const resolve: Resolve = (hostname) => {
      hostnames.push(hostname);
      const isPrivate = hostnames.length > 1;
      return resolvesTo(isPrivate ? "10.0.0.1" : "127.0.0.1")(hostname);
    };
    const agent = agentOf({ allow: loopback, resolve, plainHttp: true });
    const url = `http://hooks.example:${server.port}/`;
    expect(await send(agent, url)).toMatchObject({ ok: true, statusCode: 200 });
    expect(hostnames).toEqual(["hooks.example"]);
  });

  it("is not trusted: the address that the socket is connected to is checked too", async () => {
    let requests = 0;
    await using server = await startHttp((_, response) => {
      requests += 1;
      response.end();
    });
    let checks = 0;
    const onlyOnce = (ip: string) => ip === "127.0.0.1" && checks++ === 0;
    const options = { allow: onlyOnce, resolve: resolvesTo("127.0.0.1"), plainHttp: true };
    const result = await send(agentOf(options), `http://hooks.example:${server.port}/`);
    expect(result).toEqual({ ok: false, error: "blocked_address" });
    expect(requests).toBe(0);
  });

  it("that is empty or an error results in dns_error", async () => {
    const failing: Resolve = () =>
      Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    for (const resolve of [resolvesTo(), failing]) {
      const result = await send(agentOf({ resolve }), "https://nowhere.example/");
      expect(result).toEqual({ ok: false, error: "dns_error" });
    }
  });
});

describe("a response", () => {
  it("is returned with status, headers and body", async () => {
    await using server = await startHttp((request, response) => {
      response.writeHead(201, { "retry-after": "7" });
      request.pipe(response);
    });
    const result = await send(agentOf({ allow: loopback }), server.url, { body: "ünïcode" });
    expect(result).toMatchObject({ ok: true, statusCode: 201, headers: { "retry-after": "7" } });
    expect(result.ok && result.body.toString()).toBe("ünïcode");
  });

  it.each<[string, RequestListener]>([
    ["never comes", () => undefined],
    [
      "never ends",
      (_, response) => {
        const drip = setInterval(() => response.write("."), 10);
        response.on("close", () => clearInterval(drip));
      },
    ],
  ])("that %s is given up at the deadline", async (_what, listener) => {
    await using server = await startHttp(listener);
    const result = await send(agentOf({ allow: loopback }), server.url, { deadlineMs: 200 });
    expect(result).toEqual({ ok: false, error: "timeout" });
  });

  it("is given up at the deadline while DNS hangs", async () => {
    const resolve: Resolve = () => new Promise(() => undefined);
    const result = await send(agentOf({ resolve }), "https://slow.example/", { deadlineMs: 200 });
    expect(result).toEqual({ ok: false, error: "timeout" });
  });

  it("of unlimited length is cut at the limit and returned", async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await startHttp((_, response) => {
      const pour = (): void => {
        while (response.write(Buffer.alloc(65_536, "x"))) continue;
      };
      response.on("drain", pour).on("close", closed.resolve);
      pour();
    });
    const result = await send(agentOf({ allow: loopback }), server.url);
    expect(result).toMatchObject({ ok: true, statusCode: 200 });
    expect(result.ok && result.body.byteLength).toBe(2_000);
    await closed.promise;
  });

  it("is never decompressed", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    await using server = await startHttp((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const result = await send(agentOf({ allow: loopback }), server.url);
    expect(result.ok && result.body.equals(bomb.subarray(0, 2_000))).toBe(true);
  });

  it("with 100 KB of headers results in too_large_headers", async () => {
    await using server = await startHttp((_, response) => {
      response.writeHead(200, { "x-long": "x".repeat(100_000) }).end();
    });
    const result = await send(agentOf({ allow: loopback }), server.url);
    expect(result).toEqual({ ok: false, error: "too_large_headers" });
  });
});

describe("a failed request", () => {
  const failWith = async (onSocket: "reset" | "garbage", scheme: string) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      if (onSocket === "reset") socket.once("data", () => socket.resetAndDestroy());
      else socket.end("this is no protocol\r\n\r\n");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      return await send(agentOf({ allow: loopback }), `${scheme}://127.0.0.1:${port}/`);
    } finally {
      server.close();
    }
  };

  it("results in connection_refused if nothing listens", async () => {
    const server = await startHttp(() => undefined);
    await server[Symbol.asyncDispose]();
    const result = await send(agentOf({ allow: loopback }), server.url);
    expect(result).toEqual({ ok: false, error: "connection_refused" });
  });

  it.each([
    ["connection_reset", "hangs up", "reset", "http"],
    ["tls_error", "does not speak TLS", "garbage", "https"],
    ["network_error", "does not speak HTTP", "garbage", "http"],
  ] as const)("results in %s if the peer %s", async (error, _what, onSocket, scheme) => {
    expect(await failWith(onSocket, scheme)).toEqual({ ok: false, error });
  });
});
