/** How answers are kept: refusals are final, a failure of the network is tried again twice. */
import { QueryClient } from "@tanstack/react-query";
import { Refusal } from "./refusal.ts";

const RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < RETRIES && !(error instanceof Refusal && error.status < 500),
    },
  },
});
