/** The guarded request: which addresses it connects to, its deadline, how much it reads, its error codes, and look-ups. */
import { createSocket } from "node:dgram";
import { readFile, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  createGuardedAgent,
  hostResolver,
  type GuardedAgentOptions,
  type Resolve,
} from "../../../services/delivery/egress/guarded-agent.ts";
import { guardedRequest, type GuardedRequest } from "../../../services/delivery/egress/request.ts";
import { allowNone, parseCidrs } from "#runtime/address.ts";
import { startHttp } from "../../support/http-server.ts";
import { REFUSED_HOSTS } from "../../support/refused-hosts.ts";
import { startTcp } from "../../support/tcp-proxy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const loopback = parseCidrs(["127.0.0.0/8"]);
const SENT = { headers: {}, body: "{}", deadlineMs: 5_000, maxResponseBytes: 2_000 };

/** Sends by an agent with these options, which by default reaches public addresses only. */
async function send(
  options: Partial<GuardedAgentOptions>,
  url: string,
  more: Partial<GuardedRequest> = {},
) {
  const agent = createGuardedAgent({ allow: allowNone, ...options });
  const result = await guardedRequest(agent, { ...SENT, url, ...more });
  await agent.destroy();
  return result;
}

/** What a server that listens on the loopback interface answers. */
async function answerOf(listener: RequestListener, more: Partial<GuardedRequest> = {}) {
  await using server = await startHttp(listener);
  return await send({ allow: loopback }, server.url, more);
}

const failed = (error: string) => ({ ok: false, error });

const noDns: Resolve = () => Promise.reject(new Error("DNS was called"));
const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

describe("a connection", () => {
  it.each(REFUSED_HOSTS)("to %s is refused without DNS", async (host) => {
    const result = await send({ resolve: noDns }, `https://${host}/`);
    // The request fails before the connection if the host cannot be parsed.
    const isHost = URL.canParse(`https://${host}/`);
    expect(result).toEqual(failed(isHost ? "blocked_address" : "network_error"));
  });

  it.each(["http://example.com/", "https://example.com:22/", "http://8.8.8.8/"])(
    "to %s is refused, even if the caller did not check the URL",
    async (url) => {
      expect(await send({ resolve: noDns }, url)).toEqual(failed("blocked_address"));
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
    const result = await send({ resolve: resolvesTo(...addresses) }, "https://rebound.example/");
    expect(result).toEqual(failed("blocked_address"));
  });

  it("is requested once per connection, and its addresses are the ones dialled", async () => {
    await using server = await startHttp((_, response) => response.end("hello"));
    const hostnames: string[] = [];
    const resolve: Resolve = (hostname) => {
      hostnames.push(hostname);
      const isPrivate = hostnames.length > 1;
      return resolvesTo(isPrivate ? "10.0.0.1" : "127.0.0.1")(hostname);
    };
    const options = { allow: loopback, resolve, plainHttp: true };
    const result = await send(options, `http://hooks.example:${server.port}/`);
    expect(result).toMatchObject({ ok: true, statusCode: 200 });
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
    const result = await send(options, `http://hooks.example:${server.port}/`);
    expect(result).toEqual(failed("blocked_address"));
    expect(requests).toBe(0);
  });

  it("that is empty or an error results in dns_error", async () => {
    const noHost = Object.assign(new Error("no"), { code: "ENOTFOUND" });
    const failing: Resolve = () => Promise.reject(noHost);
    for (const resolve of [resolvesTo(), failing]) {
      expect(await send({ resolve }, "https://nowhere.example/")).toEqual(failed("dns_error"));
    }
  });
});

describe("a response", () => {
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
    expect(await answerOf(listener, { deadlineMs: 200 })).toEqual(failed("timeout"));
  });

  it("is given up at the deadline while DNS hangs", async () => {
    const resolve: Resolve = () => new Promise(() => undefined);
    const result = await send({ resolve }, "https://slow.example/", { deadlineMs: 200 });
    expect(result).toEqual(failed("timeout"));
  });

  it("of unlimited length is cut at the limit and returned, and never decompressed", async () => {
    const closed = Promise.withResolvers<void>();
    const zipped = gzipSync(Buffer.alloc(1_000_000, "x"));
    const result = await answerOf((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      const pour = (): void => {
        while (response.write(zipped)) continue;
      };
      response.on("drain", pour).on("close", closed.resolve);
      pour();
    });
    expect(result).toMatchObject({ ok: true, statusCode: 200 });
    const expected = Buffer.concat([zipped, zipped, zipped]).subarray(0, 2_000);
    expect(result.ok && result.body.equals(expected)).toBe(true);
    await closed.promise;
  });

  it("with 100 KB of headers results in too_large_headers", async () => {
    const result = await answerOf((_, response) => {
      response.writeHead(200, { "x-long": "x".repeat(100_000) }).end();
    });
    expect(result).toEqual(failed("too_large_headers"));
  });
});

describe("a failed request", () => {
  it.each([
    ["connection_reset", "hangs up", "reset", "http"],
    ["tls_error", "does not speak TLS", "garbage", "https"],
    ["network_error", "does not speak HTTP", "garbage", "http"],
  ] as const)("results in %s if the peer %s", async (error, _what, onSocket, scheme) => {
    await using server = await startTcp((socket) => {
      if (onSocket === "reset") socket.once("data", () => socket.resetAndDestroy());
      else socket.end("this is no protocol\r\n\r\n");
    });
    expect(await send({ allow: loopback }, `${scheme}://${server.host}/`)).toEqual(failed(error));
  });
});

const TARPITS = 100;
const nameServer = await startNameServer(
  new Map([
    ["hooks.example", "127.0.0.1"],
    ["public.example", "203.0.113.7"],
  ]),
);
const servers = [nameServer.address];
afterAll(() => nameServer[Symbol.asyncDispose]());

describe("a host", () => {
  it("is reached, and files are read, beside many hosts whose name servers never answer", async () => {
    await using receiver = await startHttp((_, response) => response.end("hello"));
    const options = { allow: loopback, resolve: hostResolver({ servers }), plainHttp: true };
    const agent = createGuardedAgent(options);
    const post = (url: string) => guardedRequest(agent, { ...SENT, url, deadlineMs: 60_000 });
    let given = 0;
    const tarpits = Array.from({ length: TARPITS }, async (_, index) => {
      await post(`https://tarpit-${index}.example/`);
      given += 1;
    });
    await nameServer.silentAbout(TARPITS);
    const answer = await post(`http://hooks.example:${receiver.port}/`);
    await readFile(import.meta.filename);
    expect(answer).toMatchObject({ ok: true, statusCode: 200 });
    expect(given).toBe(0);
    await agent.destroy();
    await Promise.all(tarpits);
  });

  it("is looked for in the hosts file first, by any of its names, in any case; localhost is there", async () => {
    await using folder = await temporaryFolder();
    const hostsFile = join(folder.path, "hosts");
    const lines = "# comment\n192.0.2.1 public.example Alias.Example # both\n::1 alias.example";
    await writeFile(hostsFile, lines);
    const resolve = hostResolver({ servers, hostsFile });
    expect(await resolve("PUBLIC.example.")).toEqual([{ address: "192.0.2.1", family: 4 }]);
    const v6 = { address: "::1", family: 6 };
    expect(await resolve("alias.example")).toEqual([{ address: "192.0.2.1", family: 4 }, v6]);
    expect(await resolve("localhost")).toEqual([{ address: "127.0.0.1", family: 4 }, v6]);
  });

  it("is not asked for at a name server that did not answer before", async () => {
    await using silent = await startNameServer(new Map());
    const resolve = hostResolver({ servers: [silent.address, ...servers], hostsFile: "/nowhere" });
    const names = ["public.example", "hooks.example"];
    for (const name of names) expect(await resolve(name)).toHaveLength(1);
    expect([...silent.unanswered]).toEqual(names.slice(0, 1));
  });

  it("without a name server that answers is an error of DNS", async () => {
    const gone = await startNameServer(new Map());
    await gone[Symbol.asyncDispose]();
    const resolve = hostResolver({ servers: [gone.address] });
    await expect(resolve("public.example")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });
});

const TYPE_A = 1;
const HEADER_BYTES = 12;

/** A DNS server on a free UDP port. It knows the address of each name in `ipv4`, and is silent about all others. */
async function startNameServer(ipv4: ReadonlyMap<string, string>) {
  const socket = createSocket("udp4");
  const unanswered = new Set<string>();
  let onUnanswered = (): void => {};
  socket.on("message", (query, { port, address }) => {
    const { name, end, type } = questionOf(query);
    const found = ipv4.get(name);
    if (found !== undefined) return socket.send(answerTo(query, end, type, found), port, address);
    unanswered.add(name);
    onUnanswered();
  });
  await new Promise<void>((resolve) => void socket.bind(0, "127.0.0.1", resolve));
  return {
    /** For `Resolver.setServers`. */
    address: `127.0.0.1:${socket.address().port}`,
    /** The names that it was asked for and does not know. */
    unanswered,
    /** Resolves once so many different names have been asked for that it does not answer. */
    silentAbout: (names: number) =>
      new Promise<void>((resolve) => {
        onUnanswered = () => unanswered.size >= names && resolve();
        onUnanswered();
      }),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void socket.close(resolve)),
  };
}

function questionOf(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) };
}

function answerTo(query: Buffer, questionEnd: number, type: number, ipv4: string): Buffer {
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x81_80, 2);
  header.writeUInt16BE(type === TYPE_A ? 1 : 0, 6);
  header.writeUInt16BE(0, 10);
  const question = query.subarray(HEADER_BYTES, questionEnd);
  // Refers to the question's name; type A, class IN, valid for 60 s, four bytes.
  const record = Buffer.from("c00c000100010000003c0004", "hex");
  const answer = type === TYPE_A ? [record, Buffer.from(ipv4.split(".").map(Number))] : [];
  return Buffer.concat([header, question, ...answer]);
}
