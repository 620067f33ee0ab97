/** A minimal client of the public API for tests of statuses and headers. */

export type Api = ReturnType<typeof apiOf>;

export function apiOf(url: string, key: string) {
  return {
    post: async <T>(path: string, body: unknown, more: Record<string, string> = {}) => {
      const response = await fetch(`${url}/v1${path}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...more },
      });
      const { status, headers } = response;
      return { status, headers, body: (await response.json()) as T };
    },
  };
}
