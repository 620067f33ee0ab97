/** What a page shows is never from before a change. */
import { createRequire } from "node:module";
import { refetch, type Refetching } from "../../../clients/dashboard/src/data/refetch.ts";

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
