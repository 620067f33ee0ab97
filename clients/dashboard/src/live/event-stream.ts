/** An event stream of the server that is opened again whatever ended it. */

const RECONNECT_MS = 10_000;
/** Shorter breaks are not reported: a server that restarts is back within this time. */
const TOLERATED_MS = 4_000;

type Listeners = {
  /** What the server sends, by the name of the event. */
  on: Readonly<Record<string, (data: unknown) => void>>;
  onOpen: () => void;
  /** At once when the stream breaks: until `onOpen` nothing arrives. */
  onBreak: () => void;
  /** When the server refused it: the session or the membership may have ended. */
  onRefused: () => void;
  /** When it has been broken for a while. */
  onFail: () => void;
};

export type EventStream = { close: () => void };

export function openEventStream(
  url: string,
  { on, onOpen, onBreak, onRefused, onFail }: Listeners,
): EventStream {
  let source: EventSource;
  let reconnecting: ReturnType<typeof setTimeout> | undefined;
  let failing: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    clearTimeout(reconnecting);
    source = new EventSource(url);
    source.addEventListener("open", () => {
      clearTimeout(failing);
      failing = undefined;
      onOpen();
    });
    for (const [name, listener] of Object.entries(on)) {
      source.addEventListener(name, ({ data }: MessageEvent<string>) => listener(JSON.parse(data)));
    }
    source.addEventListener("error", () => {
      onBreak();
      failing ??= setTimeout(onFail, TOLERATED_MS);
      // The browser reconnects a broken stream, but not one that the server refused.
      if (source.readyState !== EventSource.CLOSED) return;
      onRefused();
      reconnecting = setTimeout(open, RECONNECT_MS);
    });
  };
  const reopen = () => {
    source.close();
    open();
  };
  open();
  globalThis.addEventListener("online", reopen);
  return {
    close() {
      globalThis.removeEventListener("online", reopen);
      clearTimeout(reconnecting);
      clearTimeout(failing);
      source.close();
    },
  };
}
