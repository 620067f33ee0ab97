/** Waits for the end of a video or image by long polling, and says how to go on where the wait is cut short. */
import { ApiError } from "../http/api-error.ts";
import type { Result } from "../http/api-promise.ts";
import type { Connection } from "../http/connection.ts";
import { ConnectionError, WaitStoppedError } from "../http/errors.ts";
import { withGenerationId } from "../http/media-error.ts";
import type { Image, Video } from "../http/types.ts";
import { succeeded, waitUntilFinished, type WaitOptions } from "../http/wait.ts";

type Kind = "videos" | "images";

/** How long a wait that has no limit of its own puts up with an outage. */
export const OUTAGE_MS = 60_000;

export type Waits<T> = {
  wait: (id: string, options?: WaitOptions<T>) => Promise<Result<T>>;
  /** The generation, once it succeeded. Whatever ends the wait before names the id, which only the create's answer had. */
  waitForCreated: (id: string, options?: WaitOptions<T>) => Promise<Result<T>>;
};

export function waitFunctions<T extends Video | Image>(
  connection: Connection,
  kind: Kind,
): Waits<T> {
  const wait: Waits<T>["wait"] = async (id, { waitMs, ...options } = {}) => {
    if (waitMs === undefined) return waitForEnd(connection, kind, id, options, OUTAGE_MS);
    const limit = AbortSignal.timeout(waitMs);
    const { signal = limit } = options;
    const limited = { ...options, signal: AbortSignal.any([signal, limit]) };
    return waitForEnd(connection, kind, id, limited, Infinity).catch((error: unknown) => {
      throw error === limit.reason ? new WaitStoppedError(id, goOn(kind, id), limit.reason) : error;
    });
  };
  return {
    wait,
    waitForCreated: async (id, options) =>
      succeeded(
        await wait(id, options).catch((error: unknown) => {
          throw withGeneration(error, kind, id, options?.signal);
        }),
      ),
  };
}

function withGeneration(
  error: unknown,
  kind: Kind,
  id: string,
  signal: AbortSignal | undefined,
): unknown {
  if (!(error instanceof Error) || error instanceof WaitStoppedError) return error;
  if (signal?.aborted && (error === signal.reason || !(signal.reason instanceof Error)))
    return new WaitStoppedError(id, goOn(kind, id), error);
  if (error instanceof ConnectionError || error instanceof ApiError)
    error.message = `${error.message.replace(/\.?$/, ".")} ${id} was created. ${goOn(kind, id)}`;
  return error;
}

function goOn(kind: Kind, id: string): string {
  return `Wait again with client.${kind}.wait("${id}").`;
}

function waitForEnd<T extends Video | Image>(
  { http, timing, sending, answer }: Connection,
  kind: Kind,
  id: string,
  options: WaitOptions<T>,
  outageMs: number,
): Promise<Result<T>> {
  const path: "/videos/generations/{id}" | "/images/generations/{id}" = `/${kind}/generations/{id}`;
  return waitUntilFinished<Result<T>>(
    async (holdSeconds) => {
      const header = holdSeconds > 0 ? { Prefer: `wait=${holdSeconds}` } : {};
      const { data, response } = await answer(
        http.GET(path, {
          params: { path: { id }, header },
          ...sending(options, { extraMs: holdSeconds * 1_000, outageMs }),
        }),
      ).withResponse();
      return {
        generation: data as Result<T>,
        isHeld: response.headers.has("preference-applied"),
      };
    },
    options,
    timing,
  ).catch((error: unknown) => {
    throw withGenerationId(error, id);
  });
}
