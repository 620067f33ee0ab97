/** The end of a service's process, whatever keeps it, and what it says then. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startHttp } from "../support/http-server.ts";
import { runToEnd, startProcess } from "../support/process.ts";
import { SIMULATOR_SECRET } from "../support/simulator-config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PROGRAM = "test/runtime/ending-process.ts";

it.each([
  ["never stops", 1, "still stopping after DRAIN_MS"],
  ["stops", 0, ""],
])(
  "a process ends after SIGTERM, whatever is still open: its service %s",
  async (way, code, says) => {
    await using running = startProcess(PROGRAM, {}, [way]);
    await running.says("ready");
    expect(await running.end("SIGTERM")).toBe(code);
    expect(running.output()).toContain(says);
  },
);

it("a process ends at an uncaught exception, with one line of JSON, and has written its log", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "service.log");
  const { code, output } = await runToEnd(PROGRAM, {}, ["throws", file]);
  expect(code).toBe(1);
  expect(JSON.parse(output)).toMatchObject({ err: { message: "nobody catches this" } });
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { position: number }).position)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => index),
  );
});

it.each([
  ["SIMULATOR_PORT", "127.0.0.1"],
  ["HOST", "192.0.2.1"],
])("a process that cannot listen ends, and says that %s must change: %s", async (says, HOST) => {
  await using folder = await temporaryFolder();
  await using taken = await startHttp(() => {});
  const paths = { SIMULATOR_PORT: `${taken.port}`, SIMULATOR_CACHE_DIR: folder.path };
  const env = { HOST, SIMULATOR_SECRET, ...paths };
  const { code, output } = await runToEnd("services/simulator/main.ts", env);
  expect([code, /- (.*?)[,:] /.exec(output)?.[1]]).toEqual([1, `${says} must be another`]);
});
