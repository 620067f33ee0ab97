/** How the dashboard is connected to the server, and what the bar at the bottom says of it. */

export type Connection =
  /** Live updates arrive, or have not been opened yet. */
  | "live"
  /** The browser has no network. */
  | "offline"
  /** The event stream is broken, and the browser tries to open it again. */
  | "stopped"
  /** The event stream is open again. */
  | "back";

export type ConnectionEvent = "opened" | "failed" | "offline" | "online" | "noticed";

/** `failed` is only told when the stream has been broken for a while: a restart of the server is not news. */
export function nextConnection(now: Connection, event: ConnectionEvent): Connection {
  switch (event) {
    case "offline":
      return "offline";
    case "online":
      return now === "offline" ? "stopped" : now;
    case "failed":
      return now === "offline" ? now : "stopped";
    case "opened":
      return now === "live" ? "live" : "back";
    case "noticed":
      return now === "back" ? "live" : now;
  }
}
