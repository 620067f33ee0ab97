/** A minimal client of the public API for tests of statuses and headers. */

export type ApiResponse<T> = { status: number; headers: Headers; body: T };

export type Api = {
  post: <T>(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiResponse<T>>;
};

export function apiOf(url: string, key: string): Api {
  return {
    post: async <T>(path: string, body: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/v1${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...headers,
        },
      });
      const parsed = (await response.json()) as T;
      return { status: response.status, headers: response.headers, body: parsed };
    },
  };
}
