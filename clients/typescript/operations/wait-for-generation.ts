/** Waits for the end of a video or image by long polling. */
import type { Result } from "../http/api-promise.ts";
import type { Connection } from "../http/connection.ts";
import type { Image, Video } from "../http/types.ts";
import { waitUntilFinished, type WaitOptions } from "../http/wait.ts";

export function waitForGeneration<T extends Video | Image>(
  { http, timing, sending, answer }: Connection,
  path: "/videos/generations/{id}" | "/images/generations/{id}",
  id: string,
  options: WaitOptions<T> = {},
): Promise<Result<T>> {
  return waitUntilFinished<Result<T>>(
    async (holdSeconds) => {
      const header = holdSeconds > 0 ? { Prefer: `wait=${holdSeconds}` } : {};
      const { data, response } = await answer(
        http.GET(path, {
          params: { path: { id }, header },
          ...sending(options, { extraMs: holdSeconds * 1_000 }),
        }),
      ).withResponse();
      return {
        generation: data as Result<T>,
        isHeld: response.headers.has("preference-applied"),
      };
    },
    options,
    timing,
  );
}
