/** New connections to the public port: how soon they are accepted, and who else may have the port. */
import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { openPort } from "../../../services/gateway/http/open-port.ts";

const ANY = { host: "127.0.0.1", port: 0 };
const CONNECTIONS = 128;

describe("the public port", () => {
  it("accepts many connections in few turns of the event loop, because turns are long under load", async () => {
    const app = fastify();
    using open = await openPort(app, ANY);
    let accepted = 0;
    app.server.on("connection", () => (accepted += 1));
    const clients = Array.from({ length: CONNECTIONS }, () => connect(open.port, ANY.host));
    let turns = 0;
    for (; accepted < CONNECTIONS; turns += 1) await turn();
    for (const client of clients) client.destroy();
    await app.close();
    expect(turns).toBeLessThan(CONNECTIONS / 2);
  });

  it("is refused to a second gateway", async () => {
    const [first, second] = [fastify(), fastify()];
    using open = await openPort(first, ANY);
    await expect(openPort(second, { ...ANY, port: open.port })).rejects.toThrow("EADDRINUSE");
    await first.close();
  });

  it("is closed as a whole", async () => {
    const app = fastify();
    const open = await openPort(app, ANY);
    open[Symbol.dispose]();
    await app.close();
    const client = connect(open.port, ANY.host);
    const [error] = (await once(client, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });
});
