/** A fake of the OpenAI dialect: video jobs, their content behind the key, and images made within the call. */
import { randomUUID } from "node:crypto";
import type OpenAI from "openai";
import {
  ok,
  on,
  RESULT,
  startFake,
  videoReply,
  type FakeJob,
  type FakeReply,
  type FakeRequest,
} from "./fake.ts";

type Sent = { model?: string; prompt?: string; seconds?: string; size?: OpenAI.Videos.VideoSize };

/** The body of an error in this dialect. */
export function openaiError(
  status: number,
  code: string | null,
  message: string,
  param: string | null = null,
): FakeReply {
  return { status, json: { error: { message, type: "invalid_request_error", param, code } } };
}

/** A state's fields are told beside the video's own. */
export function startOpenaiFake() {
  return startFake(({ record, look }) => ({
    basePath: "/v1",
    key: "sk-fake",
    unauthorised: openaiError(401, "invalid_api_key", "Incorrect API key provided: sk-wrong."),
    notFound: openaiError(404, null, "Invalid URL"),
    operations: {
      submit: on("POST", /\/videos/, (request) => {
        const id = `video_${randomUUID().slice(0, 8)}`;
        return ok(videoOf(record(request, id, "queued")));
      }),
      poll: on("GET", /\/videos\/(\w+)/, (_request, id = "") =>
        look(id, (job) => ok(videoOf(job)), openaiError(404, "not_found", "Video not found")),
      ),
      content: on("GET", /\/videos\/\w+\/content/, videoReply),
      image: on("POST", /\/images\/(?:generations|edits)/, pictures),
      check: on("GET", /\/models/, () => ok({ object: "list", data: [] })),
    },
  }));
}

/** As many pictures as `n` says; always base64. */
function pictures({ json, form }: FakeRequest): FakeReply {
  const asked = Number(form ? (form.get("n") ?? 1) : ((json as { n?: number }).n ?? 1));
  return ok({
    created: 1,
    data: Array.from({ length: asked }, () => ({ b64_json: RESULT.toString("base64") })),
  } satisfies OpenAI.Images.ImagesResponse);
}

function videoOf({ id, request, state }: FakeJob): object {
  const { model = "", prompt = "", seconds = "4", size = "1280x720" } = request.json as Sent;
  const told = {
    id,
    object: "video",
    model,
    prompt,
    seconds,
    size,
    status: "queued",
    progress: 0,
    created_at: 1,
    completed_at: null,
    expires_at: null,
    remixed_from_video_id: null,
    error: null,
  } satisfies OpenAI.Videos.Video;
  return { ...told, ...state };
}
