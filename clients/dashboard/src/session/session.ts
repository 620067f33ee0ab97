/** Who is signed in: the session query that every page uses, and signing out. */
import { queryOptions, useMutation, useQuery, type QueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { SESSION } from "../api/query-client.ts";
import { pollMs } from "../data/refetch.ts";
import { forgetAllKept } from "./kept.ts";

const MINUTE_MS = 60_000;

const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: () => call("retrieveSession", {}),
  staleTime: MINUTE_MS,
  // On any page, who is signed out elsewhere, or removed from the account, is told.
  refetchInterval: ({ state: { data } }) => (data?.user ? pollMs(false) : false),
});

export const useSession = () => useQuery(sessionQuery);

/** Begins to ask who is signed in, before a page does; resolves when that has ended, also if it failed. */
export const beginSession = (client: QueryClient) => client.prefetchQuery(sessionQuery);

/** Loads a page anew, by default sign-in, so that nothing of the user stays in the browser. */
export function useSignOut(leave = () => globalThis.location.assign("/dashboard/sign-in")) {
  return useMutation({
    mutationFn: async () => {
      await call("signOut", {});
      forgetAllKept();
      leave();
    },
  });
}
