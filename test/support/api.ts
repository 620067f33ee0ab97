/** A bare client of the public API, as a client developer would begin with. */
import type { components } from "#gen/openapi/media.ts";

export type Video = components["schemas"]["VideoGeneration"];
export type Image = components["schemas"]["ImageGeneration"];
export type Problem = components["schemas"]["ErrorResponse"];

export type Answer<T> = { status: number; headers: Headers; body: T };

export type Api = {
  get: <T>(path: string) => Promise<Answer<T>>;
  post: <T>(path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer<T>>;
  /** Creates a video and polls it to its end; every status and progress seen on the way. */
  video: (body: object) => Promise<{ ended: Video; seen: Pick<Video, "status" | "progress">[] }>;
  waitForEnd: (id: string) => Promise<{ ended: Video; seen: Pick<Video, "status" | "progress">[] }>;
};

const POLL_MS = 100;

export function apiOf(url: string, key: string): Api {
  const call = async <T>(
    path: string,
    init: { method?: string; body?: string; headers?: Record<string, string> },
  ): Promise<Answer<T>> => {
    const response = await fetch(`${url}/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
    const body = (await response.json()) as T;
    return { status: response.status, headers: response.headers, body };
  };
  const get: Api["get"] = (path) => call(path, {});
  const post: Api["post"] = (path, body, headers = {}) =>
    call(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  const waitForEnd: Api["waitForEnd"] = async (id) => {
    const seen: Pick<Video, "status" | "progress">[] = [];
    for (;;) {
      const { body } = await get<Video>(`/videos/generations/${id}`);
      seen.push({ status: body.status, progress: body.progress });
      if (!["pending", "processing"].includes(body.status)) return { ended: body, seen };
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  return {
    get,
    post,
    waitForEnd,
    video: async (body) => {
      const created = await post<Video>("/videos/generations", body);
      if (created.status !== 202) throw new Error(JSON.stringify(created.body));
      return waitForEnd(created.body.id);
    },
  };
}
