/** The adapter to OpenAI and compatible gateways: videos are jobs, images are made within one call. */
import type { Adapter } from "../shared/adapter.ts";
import { withRetryAfter } from "../shared/asked-wait.ts";
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import { createApi } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import { checkOnce, imageOnce, sourceAt, submitOnce, UpstreamError } from "../shared/outcome.ts";
import { openaiRefusal } from "./errors.ts";
import { imageCall, imageSources, openaiCarries } from "./image.ts";
import { videoRequest, videoState } from "./video.ts";

export const openaiProvider: Adapter = ({ baseUrl, key, clock }) => {
  const keyHeaders = { authorization: `Bearer ${key}` };
  const api = createApi({ baseUrl, clock, headers: keyHeaders });

  return {
    takesBytes: true,
    carries: openaiCarries,
    submit: (job, signal) =>
      submitOnce(api, { method: "POST", path: "/videos", json: videoRequest(job) }, signal, {
        idOf: ({ body }) => textAt(body, "id"),
        refusalOf: openaiRefusal,
      }),
    // NOTE: the API lists jobs without anything that identifies a submit, and cannot stop a job.
    find: () => Promise.resolve({ kind: "unknown" }),
    cancel: () => Promise.resolve(false),
    poll: async (upstreamId, signal) => {
      const path = `/videos/${encodeURIComponent(upstreamId)}`;
      const answer = await api.call({ method: "GET", path }, signal);
      const fault = textAt(answer.body, "error", "message");
      if (answer.status === 404 && fault !== undefined) return { kind: "gone" };
      const isVideo = textAt(answer.body, "status") !== undefined;
      if (answer.status !== 200 || !isVideo) throw new UpstreamError("a poll", answer);
      const content = sourceAt(api, `${baseUrl}${path}/content`, keyHeaders);
      return withRetryAfter(answer, videoState(answer.body, content, clock.now().getTime()));
    },
    image: (job, signal) =>
      imageOnce(api, imageCall(job), signal, {
        imagedOf: ({ body }) => {
          const sources = imageSources(body, (url) => sourceAt(api, url, keyHeaders));
          if (sources.length > 0) return { kind: "succeeded", sources };
          return { kind: "failed", failure: UPSTREAM_FAILURES.failed };
        },
        refusalOf: openaiRefusal,
      }),
    check: (signal) => checkOnce(api, { method: "GET", path: "/models" }, signal, openaiRefusal),
  };
};
