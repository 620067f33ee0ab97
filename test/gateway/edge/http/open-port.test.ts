/** New connections to the public port: how soon they are accepted, and who else may have the port. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, get, type ClientRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, get as getByTls } from "node:https";
import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import fastify, { type FastifyInstance } from "fastify";
import { describe, expect, it } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { createAuthority } from "../../../support/certificates.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { openPort } from "../../../../services/gateway/edge/http/open-port.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const ANY = { host: "127.0.0.1", port: 0 };
const CONNECTIONS = 128;
const REQUESTS = 32;

describe("the public port", () => {
  it("accepts many connections in few turns of the event loop, because turns are long under load", async () => {
    const app = fastify();
    await using open = await openPort(app, ANY, systemClock);
    let accepted = 0;
    app.server.on("connection", () => (accepted += 1));
    const clients = Array.from({ length: CONNECTIONS }, () => connect(open.port, ANY.host));
    let turns = 0;
    for (; accepted < CONNECTIONS; turns += 1) await turn();
    for (const client of clients) client.destroy();
    expect(turns).toBeLessThan(CONNECTIONS / 2);
  });

  it("makes room for a new connection where another waits for its client, and finishes what it has begun", async () => {
    const app = fastify();
    const finish = Promise.withResolvers<void>();
    let begun = 0;
    app.get("/", () => "");
    app.get("/slow", async () => {
      begun += 1;
      await finish.promise;
      return "";
    });
    await using open = await openPort(app, ANY, systemClock, 4);
    const request = (path: string, agent: Agent | false = false) =>
      outcomeOf(get({ ...ANY, port: open.port, path, agent }));
    const kept = new Agent({ keepAlive: true });
    const slow = [request("/slow"), request("/slow")];
    await expect.poll(() => begun).toBe(2);
    expect(await Promise.all([request("/", kept), request("/", kept)])).toEqual([200, 200]);
    expect(await request("/")).toBe(200);
    slow.push(request("/slow"), request("/slow"));
    await expect.poll(() => begun).toBe(4);
    expect(await request("/")).toBe("ECONNRESET");
    finish.resolve();
    expect(await Promise.all(slow)).toEqual([200, 200, 200, 200]);
    kept.destroy();
  });

  it("makes room where a first request has not come whole in a second, then between two requests, then where the first has not come", async () => {
    const app = fastify();
    const clock = manualClock();
    app.get("/", () => "");
    await using open = await openPort(app, ANY, clock, 4);
    const { port } = open;
    const openSilent = async (text = "") => {
      const accepted = once(app.server, "connection");
      const client = connect(port, ANY.host);
      const [socket] = (await accepted) as [Socket];
      if (text !== "") client.write(text);
      await expect.poll(() => socket.bytesRead).toBe(text.length);
      return { client, closed: once(client, "close") };
    };
    const kept = new Agent({ keepAlive: true });
    const isReused = async () => {
      const sent = get({ ...ANY, port, path: "/", agent: kept });
      expect(await outcomeOf(sent)).toBe(200);
      return sent.reusedSocket;
    };
    expect(await isReused()).toBe(false);
    const first = await openSilent("G");
    const second = await openSilent("GET / HTTP/1.1\r\n");
    clock.advance(1_000);
    await openSilent();
    expect(await outcomeOf(get({ ...ANY, port, path: "/", agent: false }))).toBe(200);
    await first.closed;
    expect(await isReused()).toBe(true);
    const fourth = await openSilent();
    const fifth = await openSilent();
    await second.closed;
    expect(await isReused()).toBe(true);
    const sixth = await openSilent();
    const third = await openSilent();
    expect(await isReused()).toBe(false);
    const young = [fourth, fifth, sixth, third].map(({ client }) => client);
    expect(young.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    for (const client of young) client.destroy();
    kept.destroy();
  });

  it("knows with TLS too which connections have a request in progress, and closes none of them", async () => {
    await using folder = await temporaryFolder();
    const { certFile, keyFile } = createAuthority(folder.path).issue("server");
    const [cert, key] = [await readFile(certFile, "utf8"), await readFile(keyFile, "utf8")];
    const app = fastify({ https: { cert, key } }) as unknown as FastifyInstance;
    const clock = manualClock();
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    app.get("/", () => "");
    app.get("/slow", async () => {
      begun.resolve();
      await finish.promise;
      return "";
    });
    await using open = await openPort(app, ANY, clock, 2);
    const request = (path: string, agent: HttpsAgent | false = false) =>
      outcomeOf(getByTls({ ...ANY, port: open.port, path, agent, rejectUnauthorized: false }));
    const kept = new HttpsAgent({ keepAlive: true });
    const slow = request("/slow");
    await begun.promise;
    expect(await request("/", kept)).toBe(200);
    clock.advance(1_000);
    expect(await request("/")).toBe(200);
    finish.resolve();
    expect(await slow).toBe(200);
    kept.destroy();
  });

  it("is refused to a second gateway", async () => {
    const [first, second] = [fastify(), fastify()];
    await using open = await openPort(first, ANY, systemClock);
    await expect(openPort(second, { ...ANY, port: open.port }, systemClock)).rejects.toThrow(
      "EADDRINUSE",
    );
  });

  it("is closed as a whole", async () => {
    const open = await openPort(fastify(), ANY, systemClock);
    await open[Symbol.asyncDispose]();
    const client = connect(open.port, ANY.host);
    const [error] = (await once(client, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });

  it("is closed only once what any of its listeners has taken is answered", async () => {
    const app = fastify();
    const events: string[] = [];
    const arrived = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    let requests = 0;
    app.get("/", async ({ raw: { socket } }) => {
      requests += 1;
      if (requests === REQUESTS) arrived.resolve();
      // `server` names the application's, whichever listener has accepted the connection.
      const isOfMainListener = (socket as Socket & { _server?: unknown })._server === app.server;
      if (isOfMainListener) return "";
      await finish.promise;
      events.push("answered");
      return "";
    });
    app.addHook("onClose", async () => void turn().then(finish.resolve));
    const open = await openPort(app, ANY, systemClock);
    const answers = Array.from({ length: REQUESTS }, async () => {
      const sent = get({ ...ANY, port: open.port, agent: false });
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      return response.resume().statusCode;
    });
    await arrived.promise;
    await open[Symbol.asyncDispose]();
    events.push("closed");
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(events.at(-1)).toBe("closed");
  });
});

/** The status of the answer, or the code of the error. */
async function outcomeOf(sent: ClientRequest): Promise<number | string | undefined> {
  try {
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return response.statusCode;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}
