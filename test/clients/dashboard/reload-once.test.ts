/** A missing file of an older release loads the document again, but never again and again. */
import { expect, it } from "vitest";
import { reloader } from "../../../clients/dashboard/src/faults/reload-once.ts";

function browser(isServerThere: boolean) {
  const stored = new Map<string, string>();
  let reloads = 0;
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  };
  const reload = () => (reloads += 1);
  const reloadOnce = reloader({ storage, reload, isServerThere: async () => isServerThere });
  return { reloadOnce, reloads: () => reloads };
}

it("a second missing file reloads again only after a page was loaded in between", async () => {
  const { reloadOnce, reloads } = browser(true);
  expect(await reloadOnce.isStarted()).toBe(true);
  expect(await reloadOnce.isStarted()).toBe(false);
  expect(reloads()).toBe(1);
  reloadOnce.worked();
  expect(await reloadOnce.isStarted()).toBe(true);
  expect(reloads()).toBe(2);
});

it("nothing is reloaded while the server does not answer, because the browser would show nothing at all", async () => {
  const { reloadOnce, reloads } = browser(false);
  expect(await reloadOnce.isStarted()).toBe(false);
  expect(reloads()).toBe(0);
});
