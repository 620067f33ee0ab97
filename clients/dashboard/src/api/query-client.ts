/** The query cache: retries network and server errors, never a 4xx, and refetches the session when it has changed. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Refusal } from "./refusal.ts";

const RETRIES = 2;

export const SESSION = ["retrieveSession"] as const;

/** Refusals after which the session, its accounts or roles are not what the pages think. */
const OUTDATED = ["session_required", "account_not_found", "role_required"];

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askAgainWhoIsSignedIn }),
  mutationCache: new MutationCache({ onError: askAgainWhoIsSignedIn }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < RETRIES && !(error instanceof Refusal && error.status < 500),
    },
    // A change fails at once while the browser is offline, instead of being made when the user no longer expects it.
    mutations: { networkMode: "always" },
  },
});

function askAgainWhoIsSignedIn(error: unknown): void {
  const isOutdated = error instanceof Refusal && OUTDATED.includes(error.code);
  if (isOutdated) void queryClient.invalidateQueries({ queryKey: SESSION });
}
