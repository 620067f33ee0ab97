/** Keeps pages up to date by server-sent events, and by polling while no event stream is open. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useReducer, useState, type ReactNode } from "react";
import { BASE, type Schemas } from "../api/client.ts";
import { SESSION } from "../api/query-client.ts";
import { IsLive } from "../data/polling.ts";
import { useScope } from "../data/scope.ts";
import { applyBalance, applyUpdate } from "./apply-event.ts";
import { ConnectionBar } from "./connection-bar.tsx";
import { nextConnection } from "./connection.ts";
import { openEventStream } from "./event-stream.ts";
import { readFailedAgain } from "./read-failed-again.ts";

export function LiveUpdates({ children }: { children: ReactNode }) {
  const { account, mode } = useScope();
  const client = useQueryClient();
  const [isLive, setIsLive] = useState(false);
  const [connection, tell] = useReducer(
    nextConnection,
    navigator.onLine ? ("live" as const) : ("offline" as const),
  );

  useEffect(() => {
    const askWhoIsSignedIn = () => void client.invalidateQueries({ queryKey: SESSION });
    const stream = openEventStream(`${BASE}/accounts/${account.id}/events?mode=${mode}`, {
      on: {
        generation: (data) =>
          applyUpdate(client, [account.id, mode], data as Schemas["GenerationUpdate"]),
        balance: (data) => applyBalance(client, account.id, data as Schemas["Balance"]),
        ended: askWhoIsSignedIn,
      },
      onOpen: () => {
        setIsLive(true);
        tell("opened");
        readFailedAgain(client);
      },
      onBreak: () => setIsLive(false),
      onRefused: askWhoIsSignedIn,
      onFail: () => tell("failed"),
    });
    return () => {
      stream.close();
      setIsLive(false);
    };
  }, [account.id, mode, client]);

  useEffect(() => {
    const isOffline = () => tell("offline");
    const isOnline = () => tell("online");
    globalThis.addEventListener("offline", isOffline);
    globalThis.addEventListener("online", isOnline);
    return () => {
      globalThis.removeEventListener("offline", isOffline);
      globalThis.removeEventListener("online", isOnline);
    };
  }, []);

  return (
    <IsLive value={isLive}>
      {children}
      <ConnectionBar connection={connection} onNoticed={() => tell("noticed")} />
    </IsLive>
  );
}
