/** How answers are kept: refusals are final, a failure of the network is tried again, a lost session is noticed. */
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { Refusal } from "./refusal.ts";

const RETRIES = 2;

export const SESSION = ["session"] as const;

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      const isLost = error instanceof Refusal && error.code === "session_required";
      if (isLost) void queryClient.invalidateQueries({ queryKey: SESSION });
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
