/** What a page shows is never from before a change, or of an older release. */
import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { refetch, type Refetching } from "../../../clients/dashboard/src/data/refetch.ts";
import { reloader } from "../../../clients/dashboard/src/faults/reload-once.ts";

type Client = Refetching & { getQueryData: (queryKey: readonly unknown[]) => unknown };
type Observer = { subscribe: (listener: () => void) => () => void };

// An import would bring React's types of browsers into all tests.
const { QueryClient, QueryObserver } = createRequire(import.meta.url)("@tanstack/react-query") as {
  QueryClient: new () => Client;
  QueryObserver: new (client: Client, query: object) => Observer;
};

it("a list whose first answer was still on its way is read again", async () => {
  const client = new QueryClient();
  const queryKey = ["keys"];
  let stored = "before";
  const first = Promise.withResolvers<string>();
  const answers = [() => first.promise, async () => stored];
  const queryFn = () => (answers.shift() ?? (async () => stored))();
  const unsubscribe = new QueryObserver(client, { queryKey, queryFn }).subscribe(() => {});
  stored = "after";
  const done = refetch(client);
  first.resolve("before");
  await done;
  expect(client.getQueryData(queryKey)).toBe("after");
  unsubscribe();
});

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
