/** The recording upstream in the terms of the provider interface. */
import { request } from "undici";
import type { Provider } from "../../services/generation/providers/provider.ts";

type View = { id: string; done: boolean };

const POLL_AFTER_MS = 300;

export function recordingProvider(url: string): Provider {
  const get = async <T>(path: string, signal: AbortSignal) => {
    const { statusCode, body } = await request(`${url}${path}`, { signal });
    return { status: statusCode, view: (await body.json()) as T };
  };
  return {
    submit: async ({ token }, signal) => {
      try {
        const body = JSON.stringify({ token });
        const answer = await request(url, { method: "POST", body, signal });
        return { kind: "accepted", upstreamId: ((await answer.body.json()) as View).id };
      } catch {
        return { kind: "unknown" };
      }
    },
    find: async ({ job: { token } }, signal) => {
      const { view } = await get<View[]>(`/?token=${encodeURIComponent(token)}`, signal);
      const [first] = view;
      return first ? { kind: "found", upstreamId: first.id } : { kind: "absent" };
    },
    poll: async (upstreamId, signal) => {
      const { status, view } = await get<View>(`/${upstreamId}`, signal);
      if (status === 404) return { kind: "gone" };
      return view.done
        ? { kind: "succeeded", sources: [{ url: `${url}/file`, configuredOrigin: true }] }
        : { kind: "running", pollAfterMs: POLL_AFTER_MS };
    },
    cancel: async () => false,
    check: async () => ({ ok: true }),
  };
}
