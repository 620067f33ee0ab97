/** Follows generations by their streams of events. */
import type { CallOptions, Connection } from "../http/connection.ts";
import type { Image, Video } from "../http/types.ts";
import { watch } from "../http/watch.ts";
import { checkWatch } from "./arguments.ts";

type Watch<T> = {
  /**
   * `for await (const update of …)`: the generation as it is now, at each change, and as it ended. `signal` stops the
   * watching, not the generation; `timeoutMs` is the limit until a stream begins.
   */
  watch: (id: string, options?: CallOptions) => AsyncIterable<T>;
};

export type WatchFunctions = { videos: Watch<Video>; images: Watch<Image> };

export function watchFunctions({ http, timing, sending, answer }: Connection): WatchFunctions {
  const open = (
    path: "/videos/generations/{id}" | "/images/generations/{id}",
    id: string,
    options?: CallOptions,
  ) => {
    const { fetch, headers } = sending(options, { isStreamed: true });
    return answer(
      http.GET(path, {
        params: { path: { id } },
        parseAs: "stream",
        fetch,
        headers: { ...headers, accept: "text/event-stream" },
      }),
    ).asResponse();
  };
  return {
    videos: {
      watch: (id, options) => {
        checkWatch("watch", id, options);
        return watch<Video>(
          () => open("/videos/generations/{id}", id, options),
          timing,
          options?.signal,
        );
      },
    },
    images: {
      watch: (id, options) => {
        checkWatch("watch", id, options);
        return watch<Image>(
          () => open("/images/generations/{id}", id, options),
          timing,
          options?.signal,
        );
      },
    },
  };
}
