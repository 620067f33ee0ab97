/** The adapter to the Gemini API: Veo's videos are jobs, images are made within one call. */
import type { Adapter } from "../shared/adapter.ts";
import { withRetryAfter } from "../shared/asked-wait.ts";
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { createApi } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import { checkOnce, imageOnce, sourceAt, submitOnce, UpstreamError } from "../shared/outcome.ts";
import type { Imaged } from "../provider.ts";
import { geminiRefusal } from "./errors.ts";
import { drawn, imageRequest, type Drawn } from "./image.ts";
import { operationName, operationState, veoRequest } from "./veo.ts";

const IMAGE_TIMEOUT_MS = 280_000;

/** The model answered without a picture; the call is repeated once. */
const NOTHING_DRAWN: Imaged = { kind: "failed", failure: UPSTREAM_FAILURES.failed };

export const geminiProvider: Adapter = ({ baseUrl, key, clock }) => {
  const keyHeaders = { "x-goog-api-key": key };
  const api = createApi({ baseUrl, clock, headers: keyHeaders });

  return {
    takesBytes: true,
    submit: (job, signal) => {
      const json = veoRequest(job);
      const path = `/models/${job.model}:predictLongRunning`;
      return submitOnce(api, { method: "POST", path, json }, signal, {
        idOf: ({ body }) => operationName(body),
        refusalOf: geminiRefusal,
      });
    },
    // NOTE: Google documents neither a list of operations nor a way to stop one.
    find: () => Promise.resolve({ kind: "unknown" }),
    cancel: () => Promise.resolve(false),
    poll: async (upstreamId, signal) => {
      const answer = await api.call({ method: "GET", path: `/${upstreamId}` }, signal);
      const fault = textAt(answer.body, "error", "status");
      if (answer.status === 404 && fault === "NOT_FOUND") return { kind: "gone" };
      const isOperation = operationName(answer.body) !== undefined;
      if (answer.status !== 200 || !isOperation) throw new UpstreamError("a poll", answer);
      const state = operationState(answer.body, (url) => sourceAt(api, url, keyHeaders));
      return withRetryAfter(answer, state);
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
