/** The query cache: retries network and server errors, never a 4xx, and refetches the session when it has ended. */
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { Refusal } from "./refusal.ts";

const RETRIES = 2;

export const SESSION = ["session"] as const;

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      const isSignedOut = error instanceof Refusal && error.code === "session_required";
      if (isSignedOut) void queryClient.invalidateQueries({ queryKey: SESSION });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < RETRIES && !(error instanceof Refusal && error.status < 500),
    },
  },
});
