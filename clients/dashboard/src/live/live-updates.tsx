/** Keeps what is shown up to date: events while a stream is open, asking again while none is. */
import { useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useState } from "react";
import type { ReactNode } from "react";
import { BASE } from "../api/client.ts";
import type { Schemas } from "../api/client.ts";
import { usePlace } from "../session/scope.ts";
import { applyBalance, applyUpdate } from "./apply.ts";

const POLL_MS = 2_000;
const RECONNECT_MS = 30_000;

const IsLive = createContext(false);

/** How often to ask for what changes by itself: not at all while events tell. */
export function usePolling(everyMs = POLL_MS): number | false {
  return useContext(IsLive) ? false : everyMs;
}

export function LiveUpdates({ children }: { children: ReactNode }) {
  const { account, mode } = usePlace();
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
        // A refused stream stays closed; a broken one is opened again by the browser.
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
