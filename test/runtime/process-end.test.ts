/** The end of a service's process, whatever keeps it. */
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { runToEnd, startProcess } from "../support/process.ts";

it("a process ends after SIGTERM although its service does not stop within DRAIN_MS, and says so", async () => {
  await using running = startProcess("test/runtime/never-stopping-process.ts", {});
  await running.says("ready");
  expect(await running.end("SIGTERM")).toBe(1);
  expect(running.output()).toContain("still stopping after DRAIN_MS");
});

it("a process ends as soon as its service has stopped, whatever is still open", async () => {
  await using running = startProcess("test/runtime/leaving-process.ts", {});
  await running.says("ready");
  expect(await running.end("SIGTERM")).toBe(0);
});

it("a process whose port is in use ends, and names the variable in one line", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  try {
    const ended = await runToEnd("test/runtime/unstartable-process.ts", { RPC_PORT: String(port) });
    expect(ended.code).toBe(1);
    expect(ended.output).toBe(
      `configuration:\n  - RPC_PORT: 127.0.0.1:${port} is in use by another process\n`,
    );
  } finally {
    taken.close();
  }
});

it("a process whose address is not one of the machine ends, and names the variable", async () => {
  const address = { HOST: "192.0.2.1", RPC_PORT: "0" };
  const ended = await runToEnd("test/runtime/unstartable-process.ts", address);
  expect(ended.code).toBe(1);
  expect(ended.output).toContain("  - HOST: 192.0.2.1 is not an address of this machine\n");
});
