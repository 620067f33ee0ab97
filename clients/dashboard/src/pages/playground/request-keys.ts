/** Decides which Idempotency-Key a press of Generate sends, and which presses send nothing. */
import { Refusal } from "../../api/refusal.ts";

/** The second press of a double click does not ask for a second generation. */
const REPEAT_PRESS_MS = 1_000;
const KEY_BYTES = 16;

/** A request without a final answer, and the key that it was sent with. */
export type OpenRequest = { request: string; key: string };

/** Where it is kept, so that it survives a reload. */
export type OpenRequestStore = {
  read: () => OpenRequest | undefined;
  write: (open: OpenRequest | undefined) => void;
};

export type RequestKeys = ReturnType<typeof requestKeys>;

/** A request keeps its key until there is a final answer, so that pressing again never charges twice. */
export function requestKeys({ read, write }: OpenRequestStore, newKey = randomKey) {
  let last: { request: string; atMs: number } | undefined;
  let isSent = false;
  return {
    /** The key to send `request` with; undefined when this press sends nothing. */
    press(request: string, nowMs: number): string | undefined {
      const isRepeated = last?.request === request && nowMs - last.atMs < REPEAT_PRESS_MS;
      if (isSent || isRepeated) return undefined;
      const before = read();
      const open = before?.request === request ? before : { request, key: newKey() };
      write(open);
      last = { request, atMs: nowMs };
      isSent = true;
      return open.key;
    },
    /** Ends a press that was sent: `error` is null where it succeeded. */
    settle(error: Error | null): void {
      isSent = false;
      if (isFinal(error)) write(undefined);
    },
  };
}

/** Whether the answer says what became of the request: an unanswered one may have been accepted. */
function isFinal(error: Error | null): boolean {
  if (!error) return true;
  if (!(error instanceof Refusal)) return false;
  // An image that failed; its own status may be one of a server's fault. One that takes longer still goes on.
  if (error.type === "generation_error") return error.code !== "generation_timeout";
  return error.status < 500 && ![408, 429].includes(error.status);
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
