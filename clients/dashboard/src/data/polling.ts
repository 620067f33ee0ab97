/** How often queries that live updates cover ask the server: not at all while an event stream is open. */
import { createContext, useContext } from "react";

const POLL_MS = 2_000;

/** Whether an event stream is open; LiveUpdates provides it. */
export const IsLive = createContext(false);

/** The refetch interval of such a query. */
export function usePolling(everyMs = POLL_MS): number | false {
  return useContext(IsLive) ? false : everyMs;
}
