/** How long the body of a request may take. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import {
  BODY_MS,
  BYTES_PER_SECOND,
  limitBodyTime,
} from "../../../../services/gateway/edge/http/body-time.ts";

/** A server with the limit, and a client of it that has sent the beginning of a request of 20 MB. */
async function fixture() {
  const clock = manualClock();
  const app = fastify({
    bodyLimit: 100_000_000,
    clientErrorHandler: (_error, socket) => socket.end("too slow"),
  });
  limitBodyTime(app, { clock, log: createLog("test", "silent") });
  app.addContentTypeParser("*", (_request, body, done) => {
    body.resume().once("end", () => done(null));
  });
  const begun = Promise.withResolvers<void>();
  app.addHook("preParsing", async ({ method }, reply) => {
    begun.resolve();
    if (method === "DELETE") reply.hijack().raw.end("at once");
  });
  app.post("/", () => "whole");
  app.delete("/", () => "");
  await app.listen({ host: "127.0.0.1", port: 0 });
  const accepted = once(app.server, "connection") as Promise<[Socket]>;
  const client = connect((app.server.address() as { port: number }).port, "127.0.0.1");
  const [socket] = await accepted;
  /** Resolves when the server has received them. */
  const send = async (bytes: string | Buffer) => {
    const before = socket.bytesRead;
    client.write(bytes);
    await expect.poll(() => socket.bytesRead - before).toBe(bytes.length);
  };
  const begin = async (method: string) => {
    await send(
      `${method} / HTTP/1.1\r\nhost: x\r\ncontent-type: a/b\r\ncontent-length: 20000000\r\n\r\n`,
    );
    if (method === "POST") await begun.promise;
  };
  return { app, clock, client, begin, send, [Symbol.asyncDispose]: () => app.close() };
}

describe("a request's body", () => {
  it("has ten seconds", async () => {
    await using server = await fixture();
    await server.begin("POST");
    server.clock.advance(BODY_MS);
    await server.send("x");
    server.clock.advance(2_000);
    expect(await text(server.client)).toBe("too slow");
  });

  it("has a second more for each 50 kB that has come, so that a slow line can send a large file", async () => {
    await using server = await fixture();
    await server.begin("POST");
    for (let sent = 0; sent < 20_000_000; sent += 4 * BYTES_PER_SECOND) {
      await server.send(Buffer.alloc(4 * BYTES_PER_SECOND));
      server.clock.advance(4_000);
    }
    const answer = once(server.client, "data");
    expect(String((await answer)[0])).toMatch(/whole$/);
    server.client.destroy();
  });

  it("has no more time where nobody reads it, and gets no second answer", async () => {
    await using server = await fixture();
    await server.begin("DELETE");
    await expect.poll(() => server.client.bytesRead).toBeGreaterThan(0);
    server.clock.advance(BODY_MS + 1_000);
    expect(await text(server.client)).not.toContain("too slow");
  });

  it("is not watched within the process, where no connection ever closes", async () => {
    await using app = fastify();
    limitBodyTime(app, { clock: manualClock(), log: createLog("test", "silent") });
    app.post("/", ({ raw }) => ({ watchers: raw.socket.listenerCount("close") }));
    const answer = await app.inject({ method: "POST", url: "/", payload: { a: 1 } });
    expect(answer.json()).toEqual({ watchers: 0 });
  });
});
