/**
 * The processes of `npm start`: where there are several, they share the work and the port, and replace each other. None is
 * left behind by one that is stopped, or cannot start.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { commandLine } from "../../services/standalone/data-folder/data-folder.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { clientOf } from "../support/customer.ts";
import { startHttp } from "../support/http-server.ts";
import { startProcess } from "../support/process.ts";
import { standaloneIn } from "../support/whole-service.ts";
import { isLong } from "../support/test-size.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SOON = { timeout: 60_000 };

it("several processes make videos, go on when one is killed, replace it, and all end with the first", async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, "data");
  await using service = await standaloneIn(dataDir, { PROCESSES: "2" });
  expect(service.running.output().match(/Ready:/g)).toHaveLength(1);
  const workers = () => childrenRunning(service.running.pid, "processes/worker.ts");
  const [killed, other] = await workers();
  const { services } = await service.ops<{ services: { answering: number }[] }>("status");
  expect(services.map(({ answering }) => answering)).toEqual([2, 2, 2, 2]);
  const client = clientOf(service.url, await readFile(join(dataDir, "demo/live-key"), "utf8"));
  const create = (prompt: string) =>
    client.videos.create({ model: "beta-3.0-video", duration: 2, prompt });
  const before = await Promise.all(["a", "b", "c"].map(create));

  process.kill(killed ?? 0, "SIGKILL");
  const after = await Promise.all(["d", "e", "f"].map(create));
  const ended = await Promise.all(
    [...before, ...after].map(({ id }) => client.videos.wait(id, { pollMs: 500 })),
  );
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => "success"));
  const file = await fetch(ended[0]?.output[0]?.url ?? "");
  expect((await file.arrayBuffer()).byteLength).toBe(ended[0]?.output[0]?.bytes);
  await expect.poll(workers, SOON).toHaveLength(2);
  expect(await workers()).toContain(other);

  // Every process of the group gets it, as with Ctrl-C in a terminal.
  expect(await service.running.end("SIGINT", "group")).toBe(0);
  expect(await processesNaming(folder.path)).toEqual([]);
  expect(await workers()).toEqual([]);
}, 180_000);

describe("the service", () => {
  it("says one clear reason where its port is taken, and leaves no process behind", async () => {
    await using folder = await temporaryFolder();
    await using taken = await startHttp(() => {});
    const failed = startProcess("services/standalone/main.ts", {
      DATA_DIR: join(folder.path, "data"),
      PORT: String(taken.port),
    });
    expect(await failed.exited).toBe(1);
    expect(failed.output()).toBe(reasonOf(taken.port));
    expect(await processesNaming(folder.path)).toEqual([]);
  });

  it.runIf(isLong)(
    "leaves no process behind after a stop, and a port taken meanwhile",
    async () => {
      await using folder = await temporaryFolder();
      const dataDir = join(folder.path, "data");
      const service = await standaloneIn(dataDir);
      expect(await service.running.end("SIGINT")).toBe(0);
      expect(await processesNaming(folder.path)).toEqual([]);

      const port = await freePort();
      const late = startProcess("services/standalone/main.ts", {
        DATA_DIR: dataDir,
        PORT: String(port),
      });
      // The start has looked at the port before it opens the folder.
      await expect
        .poll(() => existsSync(join(dataDir, "postgres", "data", "postmaster.pid")))
        .toBe(true);
      await using _taken = await startHttp(() => {}, "127.0.0.1", port);
      expect(await late.exited).toBe(1);
      expect(late.output()).toBe(reasonOf(port));
      expect(await processesNaming(folder.path)).toEqual([]);
    },
  );
});

/** The whole output: one reason, which names the variable and the port. */
const reasonOf = (port: number) =>
  `configuration:\n  - PORT must be another, such as PORT=22000: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`;

/** The ids of the children of a process whose command line contains `text`. */
async function childrenRunning(parent: number, text: string): Promise<number[]> {
  const file = `/proc/${parent}/task/${parent}/children`;
  const children = (await readFile(file, "utf8").catch(() => "")).trim().split(" ").map(Number);
  return children.filter((pid) => commandLine(pid).includes(text));
}

async function processesNaming(text: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => commandLine(Number(pid))).filter((line) => line.includes(text));
}
