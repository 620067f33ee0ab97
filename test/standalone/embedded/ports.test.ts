/** Free ports: nobody is given one that somebody else was given and has not opened yet. */
import { expect, it, vi } from "vitest";
import { freePort } from "../../../services/standalone/embedded/ports.ts";

it("gives a port to one process only", { skip: process.platform !== "linux" }, async () => {
  const given = await freePort();
  // As another process: it does not know what this one was given.
  vi.resetModules();
  const other = await import("../../../services/standalone/embedded/ports.ts");
  const chosen = [given];
  const free = await other.freePort(() => chosen.pop() ?? given + 1);
  expect(free).not.toBe(given);
});
