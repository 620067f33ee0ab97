/** Reads the updates of a generation from a stream of events, which is opened again until the final status has come. */
import type { Timing } from "./retry.ts";
import { isFinal } from "./wait.ts";

/** The service sends a comment every 15 seconds; a connection without any is dead. */
const SILENCE_MS = 45_000;
const RECONNECT_MS = 3_000;

/** Yields the first state, each change and the end. Throws what `open` throws, and the reason of an aborted signal. */
export async function* watch<T extends { status: string }>(
  open: () => Promise<Response>,
  timing: Pick<Timing, "sleep">,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void> {
  let last = "";
  for (;;) {
    for await (const text of eventsOf(await open(), signal)) {
      if (text === last) continue;
      last = text;
      const update = JSON.parse(text) as T;
      yield update;
      if (isFinal(update.status)) return;
    }
    await timing.sleep(RECONNECT_MS, signal);
  }
}

/** The data of each event, until the stream ends, breaks or is silent. */
async function* eventsOf(
  { body }: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const readUntilSilence = async () => {
    const timer = setTimeout(() => void reader.cancel(), SILENCE_MS);
    try {
      return await reader.read();
    } catch {
      signal?.throwIfAborted();
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };
  let text = "";
  try {
    for (;;) {
      const chunk = await readUntilSilence();
      if (!chunk || chunk.done) return;
      const blocks = (text + chunk.value).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const line = block.split("\n").find((one) => one.startsWith("data: "));
        if (line !== undefined) yield line.slice("data: ".length);
      }
    }
  } finally {
    // A broken stream cannot be canceled, and need not be.
    await reader.cancel().catch(() => undefined);
  }
}
