/** A fake of the OpenAI dialect: video jobs, their content behind the key, and images made within the call. */
import { randomUUID } from "node:crypto";
import { RESULT, startFake, type FakeReply, type JobState } from "./fake-upstream.ts";

const KEY = "sk-fake";

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
    key: KEY,
    isAuthorised: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
    unauthorised: openaiError(401, "invalid_api_key", "Incorrect API key provided: sk-wrong."),
    notFound: openaiError(404, null, "Invalid URL"),
    operations: [
      {
        name: "submit",
        method: "POST",
        path: /\/videos/,
        handle: (request) => {
          const id = `video_${randomUUID().slice(0, 8)}`;
          record(request, id, { status: "queued", progress: 0 });
          return { status: 200, json: videoOf(id, { status: "queued", progress: 0 }) };
        },
      },
      {
        name: "poll",
        method: "GET",
        path: /\/videos\/(\w+)/,
        handle: (_request, id = "") => {
          const state = look(id)?.state;
          if (!state || state.status === "gone")
            return openaiError(404, "not_found", "Video not found");
          return { status: 200, json: videoOf(id, state) };
        },
      },
      {
        name: "content",
        method: "GET",
        path: /\/videos\/\w+\/content/,
        handle: () => ({ status: 200, headers: { "content-type": "video/mp4" }, raw: RESULT }),
      },
      {
        name: "image",
        method: "POST",
        path: /\/images\/(?:generations|edits)/,
        handle: () => ({
          status: 200,
          json: { created: 1, data: [{ b64_json: RESULT.toString("base64") }], usage: {} },
        }),
      },
      {
        name: "check",
        method: "GET",
        path: /\/models/,
        handle: () => ({ status: 200, json: { object: "list", data: [] } }),
      },
    ],
  }));
}

function videoOf(id: string, state: JobState): object {
  return {
    id,
    object: "video",
    model: "some-model",
    progress: 0,
    created_at: 1,
    completed_at: null,
    expires_at: null,
    error: null,
    ...state,
  };
}
