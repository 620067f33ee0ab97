/** Follows generations by their streams of events. */
import type { CallOptions, Connection } from "../http/connection.ts";
import { withGenerationId } from "../http/media-error.ts";
import { watch } from "../http/watch.ts";
import { OUTAGE_MS } from "./wait-for-generation.ts";

export type Watch<T> = {
  /**
   * `for await (const update of …)`: the generation as it is now, at each change, and as it ended. `signal` stops the
   * watching, not the generation; `timeoutMs` is the limit until a stream begins.
   */
  watch: (id: string, options?: CallOptions) => AsyncIterable<T>;
};

export function watchFunction<T extends { status: string }>(
  { http, timing, sending, answer }: Connection,
  path: "/videos/generations/{id}" | "/images/generations/{id}",
): Watch<T>["watch"] {
  const open = (id: string, options?: CallOptions) => {
    const { fetch, headers } = sending(options, { isStreamed: true, outageMs: OUTAGE_MS });
    return answer(
      http.GET(path, {
        params: { path: { id } },
        parseAs: "stream",
        fetch,
        headers: { ...headers, accept: "text/event-stream" },
      }),
    ).asResponse();
  };
  return async function* watchOne(id, options) {
    try {
      yield* watch<T>(() => open(id, options), timing, options?.signal);
    } catch (error) {
      throw withGenerationId(error, id);
    }
  };
}
