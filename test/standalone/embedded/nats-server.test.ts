/** The embedded NATS server: durable streams, its password, and what a killed run leaves. */
import { createServer } from "node:net";
import { join } from "node:path";
import { connect, type NatsConnection } from "nats";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startNats } from "../../../services/standalone/embedded/nats-server.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { isAlive } from "../../../services/standalone/data-folder/process-info.ts";
import { StartError } from "../../../services/standalone/settings/start-error.ts";
import { startKeptServer, untilGone } from "./kept-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const log = pino({ enabled: false });

describe("the embedded NATS server", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let directory: string;
  let pidFile: string;

  beforeAll(async () => {
    folder = await temporaryFolder(0o700);
    directory = join(folder.path, "nats");
    pidFile = join(directory, "nats.pid");
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const start = async (port?: number) =>
    startNats({ directory, port: port ?? (await freePort()), log });

  it("keeps a JetStream message through a restart, under the same URL", async () => {
    const port = await freePort();
    let url: string;
    {
      await using server = await start(port);
      url = server.url;
      await withClient(url, async (client) => {
        const manager = await client.jetstreamManager();
        await manager.streams.add({ name: "KEPT", subjects: ["kept.>"] });
        await client.jetstream().publish("kept.one", "still here");
      });
    }
    await using server = await start(port);
    expect(server.url).toBe(url);
    await withClient(url, async (client) => {
      const manager = await client.jetstreamManager();
      const message = await manager.streams.getMessage("KEPT", { seq: 1 });
      expect(message.string()).toBe("still here");
    });
  });

  it("refuses connections without the password", async () => {
    await using server = await start();
    await expect(connect({ servers: new URL(server.url).host })).rejects.toThrow(/AUTHORIZATION/i);
  });

  it("refuses to start on a port that another program uses", async () => {
    const other = createServer((socket) => socket.end("INFO {}\r\n"));
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    await expect(start(port)).rejects.toThrow(
      new StartError(`NATS cannot listen: port ${port} of 127.0.0.1 is taken.`),
    );
    await new Promise((resolve) => other.close(resolve));
  });

  it("stops the server of an earlier run that was killed", async () => {
    // Without setpriv, as on systems other than Linux, the server outlives its starter.
    const options = { directory, port: await freePort(), pidFile, path: "/nonexistent" };
    const orphan = await startKeptServer("nats", options);
    await orphan.killStarter();
    expect(isAlive(orphan.pid)).toBe(true);

    await using server = await start(options.port);
    expect(isAlive(orphan.pid)).toBe(false);
    await withClient(server.url, async (client) => client.flush());
  });

  it.runIf(process.platform === "linux")("ends when its starter is killed", async () => {
    const kept = await startKeptServer("nats", { directory, port: await freePort(), pidFile });
    await kept.killStarter();
    await untilGone(kept.pid);
    expect(isAlive(kept.pid)).toBe(false);
  });
});

async function withClient(
  url: string,
  use: (client: NatsConnection) => Promise<void>,
): Promise<void> {
  const { username, password, host } = new URL(url);
  const client = await connect({ servers: host, user: username, pass: password });
  try {
    await use(client);
  } finally {
    await client.close();
  }
}
