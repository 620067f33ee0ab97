/** A whole service that is stopped, or cannot start: nothing is left behind. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startProcess } from "../support/process.ts";
import { standaloneIn } from "../support/whole-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { isLong } from "../support/test-size.ts";

describe("the service", () => {
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

async function processesNaming(text: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(text));
}
