/** The end of a service's process, whatever keeps it, and what it says then. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#runtime/clock.ts";
import { createShutdown } from "#runtime/shutdown.ts";
import { startAssetServer } from "../../services/delivery/asset-server/asset-server.ts";
import { openStatusPage } from "../../services/standalone/status-page.ts";
import { memoryStore } from "../delivery/memory-store.ts";
import { startHttp } from "../support/http-server.ts";
import { runToEnd, startProcess } from "../support/process.ts";
import { serveRpc } from "../support/rpc-server.ts";
import { SIMULATOR_SECRET } from "../support/simulator-config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PROGRAM = "test/runtime/ending-process.ts";
const NONE: [string] = [""];
const NOWHERE = { gateway: NONE, billing: NONE, generation: NONE, delivery: NONE };

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

describe("a process that cannot open its port ends, and says which variable to change", () => {
  it.each([
    ["SIMULATOR_PORT: listen EADDRINUSE: address already in use 127.0.0.1", {}],
    ["HOST: listen EADDRNOTAVAIL: address not available 192.0.2.1", { HOST: "192.0.2.1" }],
    ["HOST: getaddrinfo", { HOST: "none.invalid" }],
  ])("%s", async (says, more) => {
    await using folder = await temporaryFolder();
    await using taken = await startHttp(() => {});
    const ended = await runToEnd("services/simulator/main.ts", {
      SIMULATOR_SECRET,
      SIMULATOR_PORT: `${taken.port}`,
      SIMULATOR_CACHE_DIR: folder.path,
      ...more,
    });
    expect(ended.code).toBe(1);
    expect(ended.output.split("\n  - ")).toEqual(["configuration:", expect.stringContaining(says)]);
  });

  it("also for RPCs and metrics, for stored files and for the status of npm start", async () => {
    await using taken = await startHttp(() => {});
    const { port } = taken;
    const shutdown = createShutdown({ lameDuckMs: 0, drainMs: 0 }, systemClock);
    const assets = { host: "127.0.0.1", port, store: memoryStore(), shutdown };
    await expect(serveRpc(() => {}, { port })).rejects.toThrow("RPC_PORT: listen EADDRINUSE");
    await expect(startAssetServer(assets)).rejects.toThrow("ASSETS_PORT: listen EADDRINUSE");
    await expect(openStatusPage(NOWHERE, port)).rejects.toThrow("STATUS_PORT: listen EADDRINUSE");
  });
});
