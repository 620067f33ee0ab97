/** Keeps pages up to date by server-sent events, and by polling while no event stream is open. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useState } from "react";
import type { ReactNode } from "react";
import { BASE } from "../api/client.ts";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../session/scope.ts";
import { applyBalance, applyUpdate } from "./apply-event.ts";

const POLL_MS = 2_000;
const RECONNECT_MS = 30_000;

const IsLive = createContext(false);

/** The refetch interval of a query that live updates cover: `false` while the event stream is open. */
export function usePolling(everyMs = POLL_MS): number | false {
  return useContext(IsLive) ? false : everyMs;
}

export function LiveUpdates({ children }: { children: ReactNode }) {
  const { account, mode } = useScope();
  const client = useQueryClient();
  const [isLive, setIsLive] = useState(false);

  useEffect(() => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(`${BASE}/accounts/${account.id}/events?mode=${mode}`);
      source.addEventListener("open", () => setIsLive(true));
      source.addEventListener("generation", ({ data }: MessageEvent<string>) =>
        applyUpdate(client, [account.id, mode], JSON.parse(data) as Schemas["GenerationUpdate"]),
      );
      source.addEventListener("balance", ({ data }: MessageEvent<string>) =>
        applyBalance(client, account.id, JSON.parse(data) as Schemas["Balance"]),
      );
      source.addEventListener("error", () => {
        setIsLive(false);
        // The browser reconnects a broken stream, but not one that the server refused.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, RECONNECT_MS);
      });
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
      setIsLive(false);
    };
  }, [account.id, mode, client]);

  return <IsLive value={isLive}>{children}</IsLive>;
}
