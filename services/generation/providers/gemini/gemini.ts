/** The adapter to the Gemini API: Omni's videos are background interactions, images are made within one call. */
import type { Adapter } from "../shared/adapter.ts";
import { withRetryAfter } from "../shared/asked-wait.ts";
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { createApi } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import { checkOnce, imageOnce, sourceAt, submitOnce, UpstreamError } from "../shared/outcome.ts";
import type { Imaged } from "../provider.ts";
import { geminiRefusal } from "./errors.ts";
import { drawn, imageRequest, type Drawn } from "./image.ts";
import { interactionId, interactionRequest, interactionState } from "./omni.ts";

const IMAGE_TIMEOUT_MS = 280_000;

/** The model answered without a picture; the call is repeated once. */
const NOTHING_DRAWN: Imaged = { kind: "failed", failure: UPSTREAM_FAILURES.failed };

export const geminiProvider: Adapter = ({ baseUrl, key, clock }) => {
  const keyHeaders = { "x-goog-api-key": key };
  const api = createApi({ baseUrl, clock, headers: keyHeaders });
  const stateOf = (body: unknown) =>
    interactionState(body, (url) => sourceAt(api, url, keyHeaders));

  return {
    takesBytes: true,
    submit: (job, signal) => {
      const call = {
        method: "POST",
        path: "/interactions",
        json: interactionRequest(job),
      } as const;
      return submitOnce(api, call, signal, {
        idOf: ({ body }) => interactionId(body),
        refusalOf: geminiRefusal,
      });
    },
    // NOTE: Google documents no list of interactions.
    find: () => Promise.resolve({ kind: "unknown" }),
    cancel: async (upstreamId, signal) => {
      const path = `/interactions/${upstreamId}/cancel`;
      const { body } = await api.call({ method: "POST", path }, signal);
      return stateOf(body).kind === "stopped";
    },
    poll: async (upstreamId, signal) => {
      const answer = await api.call({ method: "GET", path: `/interactions/${upstreamId}` }, signal);
      if (answer.status === 404 && isNotFound(answer.body)) return { kind: "gone" };
      const isInteraction = textAt(answer.body, "status") !== undefined;
      if (answer.status !== 200 || !isInteraction) throw new UpstreamError("a poll", answer);
      return withRetryAfter(answer, stateOf(answer.body));
    },
    image: async (job, signal) => {
      const call = {
        method: "POST",
        path: `/models/${job.model}:generateContent`,
        json: imageRequest(job),
        timeoutMs: IMAGE_TIMEOUT_MS,
      } as const;
      const send = () =>
        imageOnce(api, call, signal, {
          imagedOf: ({ body }) => imagedOf(drawn(body)),
          refusalOf: geminiRefusal,
        });
      const imaged = await send();
      return imaged === NOTHING_DRAWN ? send() : imaged;
    },
    check: (signal) =>
      checkOnce(
        api,
        { method: "GET", path: "/models", query: { pageSize: 1 } },
        signal,
        geminiRefusal,
      ),
  };
};

/** Google itself reports the interaction as unknown; a proxy's 404 says nothing about it. */
function isNotFound(body: unknown): boolean {
  return [textAt(body, "error", "status"), textAt(body, "error", "code")].some((word) =>
    /^not_found$/i.test(word ?? ""),
  );
}

function imagedOf(answer: Drawn): Imaged {
  switch (answer.kind) {
    case "picture":
      return { kind: "succeeded", sources: [answer.source] };
    case "blocked":
      return { kind: "failed", failure: UPSTREAM_FAILURES.contentRejected };
    case "nothing":
      return NOTHING_DRAWN;
    case "unreadable":
      return { kind: "failed", failure: UPSTREAM_FAILURES.failed };
  }
}
