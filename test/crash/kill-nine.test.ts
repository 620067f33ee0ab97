import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { components } from "#gen/openapi/media.ts";
import { freePort } from "../../services/standalone/ports.ts";
import { apiOf } from "../support/api.ts";
import type { Video } from "../support/api.ts";
import { startProcess } from "../support/process.ts";
import { standaloneIn, temporaryFolder } from "../support/whole-service.ts";

type Balance = components["schemas"]["Balance"];

it("kill -9 of everything in the middle of ten generations loses none, and the ledger adds up", async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, "data");
  const env = { SIMULATOR_PACE_MS: "2000" };
  const ids: string[] = [];
  {
    await using first = await standaloneIn(dataDir, env);
    const api = apiOf(first.url, await readFile(join(dataDir, "demo/live-key"), "utf8"));
    const submit = async (prompt: string) => {
      const created = await api.post<Video>("/videos/generations", { model: "alpha-2.0", prompt });
      ids.push(created.body.id);
    };
    for (let i = 0; i < 5; i++) await submit(`early cat ${i}`);
    await expect.poll(() => statusOf(api, ids[0])).toBe("processing");
    for (let i = 0; i < 5; i++) await submit(`late cat ${i}`);
    await first.running.end("SIGKILL", "group");
  }
  await using second = await standaloneIn(dataDir, env);
  const api = apiOf(second.url, await readFile(join(dataDir, "demo/live-key"), "utf8"));
  const ended = await Promise.all(ids.map((id) => api.waitForEnd(id)));
  expect(ended.map(({ ended: { status } }) => status)).toEqual(ids.map(() => "success"));
  const { body } = await api.get<Balance>("/balance");
  expect(body).toMatchObject({ available: 100_000 - 10 * 210, reserved: 0 });
  const file = await fetch(ended[0]?.ended.output[0]?.url ?? "");
  expect((await file.arrayBuffer()).byteLength).toBe(ended[0]?.ended.output[0]?.bytes);
});

async function statusOf(api: ReturnType<typeof apiOf>, id: string | undefined): Promise<string> {
  return (await api.get<Video>(`/videos/generations/${id ?? ""}`)).body.status;
}

it("a stop and a failed start leave no process behind, and a failed start says one clear reason", async () => {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, "data");
  const service = await standaloneIn(dataDir);
  expect(await service.running.end("SIGINT")).toBe(0);
  expect(await processesNaming(folder.path)).toEqual([]);

  const port = await freePort();
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(port, "127.0.0.1", resolve));
  const failed = startProcess("services/standalone/main.ts", {
    DATA_DIR: dataDir,
    PORT: String(port),
  });
  expect(await failed.exited).toBe(1);
  expect(failed.output()).toMatch(new RegExp(`^[^\\n]*port ${port}[^\\n]*\\n$`, "i"));
  await new Promise((resolve) => taken.close(resolve));
  expect(await processesNaming(folder.path)).toEqual([]);
});

async function processesNaming(text: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(text));
}
