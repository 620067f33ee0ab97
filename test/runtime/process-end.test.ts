/** The end of a service's process, whatever keeps it. */
import { expect, it } from "vitest";
import { startProcess } from "../support/process.ts";

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
