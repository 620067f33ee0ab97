/**
 * A whole service that is killed or stopped: nothing is lost, and nothing is left behind. Claims of a killed process last ten
 * seconds, so most of it runs with TEST_SIZE=long only; kill-workers.test.ts kills a worker in each run.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { clientOf } from "../support/customer.ts";
import { startProcess } from "../support/process.ts";
import { standaloneIn } from "../support/whole-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { isLong } from "../support/test-size.ts";

describe("the service", () => {
  it.runIf(isLong)(
    "loses none of ten generations when it is killed in their middle, and the ledger adds up",
    async () => {
      await using folder = await temporaryFolder();
      const dataDir = join(folder.path, "data");
      // Within the ten seconds that the claims of the killed process last, so that this takes no time.
      const env = { SIMULATOR_PACE_MS: "6000" };
      const ids: string[] = [];
      {
        await using first = await standaloneIn(dataDir, env);
        const client = clientOf(first.url, await demoKey(dataDir));
        const submit = async (prompt: string) => {
          const { id } = await client.videos.create({
            model: "beta-3.0-video",
            duration: 2,
            prompt,
          });
          ids.push(id);
        };
        const firstStatus = async () => (await client.videos.retrieve(ids[0] ?? "")).status;
        for (let i = 0; i < 5; i++) await submit(`early cat ${i}`);
        await expect.poll(firstStatus).toBe("processing");
        for (let i = 0; i < 5; i++) await submit(`late cat ${i}`);
        await first.running.end("SIGKILL", "group");
      }
      await using second = await standaloneIn(dataDir, env);
      const client = clientOf(second.url, await demoKey(dataDir));
      const ended = await Promise.all(ids.map((id) => client.videos.wait(id)));
      expect(ended.map(({ status }) => status)).toEqual(ids.map(() => "success"));
      const balance = await client.balance.retrieve();
      expect(balance).toMatchObject({ available: 100_000 - 10 * 200, reserved: 0 });
      const [output] = ended[0]?.output ?? [];
      const file = await fetch(output?.url ?? "");
      expect((await file.arrayBuffer()).byteLength).toBe(output?.bytes);
      // The claims of the killed process end with its leases, after 10 s.
    },
    90_000,
  );

  it("says one clear reason where its port is taken, and leaves no process behind", async () => {
    await using folder = await temporaryFolder();
    const taken = await portTaken(await freePort());
    const failed = startProcess("services/standalone/main.ts", {
      DATA_DIR: join(folder.path, "data"),
      PORT: String(taken.port),
    });
    expect(await failed.exited).toBe(1);
    expect(failed.output()).toMatch(reasonOf(taken.port));
    await taken.free();
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
      const taken = await portTaken(port);
      expect(await late.exited).toBe(1);
      expect(late.output()).toMatch(reasonOf(port));
      await taken.free();
      expect(await processesNaming(folder.path)).toEqual([]);
    },
  );
});

async function portTaken(port: number) {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  return { port, free: () => new Promise((resolve) => server.close(resolve)) };
}

/** One line that names the port. */
const reasonOf = (port: number) => new RegExp(`^[^\\n]*port ${port}[^\\n]*\\n$`, "i");

function demoKey(dataDir: string): Promise<string> {
  return readFile(join(dataDir, "demo/live-key"), "utf8");
}

async function processesNaming(text: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(text));
}
