/** A bar over the bottom of the page while the network or live updates are gone, and shortly when they are back. */
import { CloudOff, RefreshCw, Wifi } from "lucide-react";
import { useEffect } from "react";
import type { Connection } from "./connection.ts";
import classes from "./connection-bar.module.css";

const SHOWN_MS = 5_000;

const TEXTS = {
  offline: {
    icon: CloudOff,
    text: "You are offline. What you see may be out of date.",
  },
  stopped: {
    icon: RefreshCw,
    text: "Live updates stopped: connecting again. What you see may be out of date.",
  },
  back: { icon: Wifi, text: "Live updates are back." },
};

type Props = { connection: Connection; onNoticed: () => void };

export function ConnectionBar({ connection, onNoticed }: Props) {
  useEffect(() => {
    if (connection !== "back") return undefined;
    const timer = setTimeout(onNoticed, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [connection, onNoticed]);
  const shown = connection === "live" ? undefined : TEXTS[connection];
  // The element is always there, because screen readers announce only what appears in it.
  return (
    <div role="status" aria-label="Connection" className={classes.place}>
      {shown && (
        <p className={classes.bar} data-connection={connection}>
          <shown.icon size={16} aria-hidden />
          {shown.text}
        </p>
      )}
    </div>
  );
}
