/**
 * An event stream of the server that is opened again whatever ended it. A hidden tab closes it, because a browser has six
 * connections to a server over HTTP/1.1: the streams of many tabs would leave none for their pages.
 */

const RECONNECT_MS = 10_000;
/** Shorter breaks are not reported: a server that restarts is back within this time. */
const TOLERATED_MS = 4_000;

type Listeners = {
  /** What the server sends, by the name of the event. */
  on: Readonly<Record<string, (data: unknown) => void>>;
  onOpen: () => void;
  /** Called at once when the stream breaks: until `onOpen` nothing arrives. */
  onBreak: () => void;
  /** Called when the server refused it: the session or the membership may have ended. */
  onRefused: () => void;
  /** Called when it has been broken for a while. */
  onFail: () => void;
};

export type EventStream = { close: () => void };

export function openEventStream(
  url: string,
  { on, onOpen, onBreak, onRefused, onFail }: Listeners,
): EventStream {
  let source: EventSource | undefined;
  let reconnecting: ReturnType<typeof setTimeout> | undefined;
  let failing: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    clearTimeout(reconnecting);
    clearTimeout(failing);
    failing = undefined;
    source?.close();
  };
  const open = () => {
    close();
    if (document.visibilityState === "hidden") return onBreak();
    const opened = new EventSource(url);
    source = opened;
    opened.addEventListener("open", () => {
      clearTimeout(failing);
      failing = undefined;
      onOpen();
    });
    for (const [name, listener] of Object.entries(on)) {
      opened.addEventListener(name, ({ data }: MessageEvent<string>) => listener(JSON.parse(data)));
    }
    opened.addEventListener("error", () => {
      onBreak();
      failing ??= setTimeout(onFail, TOLERATED_MS);
      // The browser reconnects a broken stream, but not one that the server refused.
      if (opened.readyState !== EventSource.CLOSED) return;
      onRefused();
      reconnecting = setTimeout(open, RECONNECT_MS);
    });
  };
  open();
  globalThis.addEventListener("online", open);
  document.addEventListener("visibilitychange", open);
  return {
    close() {
      globalThis.removeEventListener("online", open);
      document.removeEventListener("visibilitychange", open);
      close();
    },
  };
}
