/** Processes that tests start: none outlives its test. */
import { expect, it } from "vitest";
import { isAlive } from "../../services/standalone/data-folder/process-info.ts";
import { untilGone } from "../standalone/embedded/kept-server.ts";
import { startProcess } from "./process.ts";

it.runIf(process.platform === "linux")(
  "a program ends when the process that started it is killed",
  async () => {
    await using keeper = startProcess("test/support/process-keeper.ts", {});
    const output = await keeper.says("started ");
    await keeper.end("SIGKILL");
    const pid = Number(/started (\d+)/.exec(output)?.[1]);
    await untilGone(pid);
    expect(isAlive(pid)).toBe(false);
  },
);

it("a program that is paused, as a failed test leaves it, ends with its disposal", async () => {
  const replica = startProcess("test/runtime/rpc/client/replica-process.ts", {});
  {
    await using _running = replica;
    await replica.says("listening on ");
    replica.signal("SIGSTOP");
  }
  expect(isAlive(replica.pid)).toBe(false);
});
