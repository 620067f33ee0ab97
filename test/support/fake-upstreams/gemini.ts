/** A fake of the Gemini API: videos as background interactions, and images made within the call. */
import { randomUUID } from "node:crypto";
import {
  ok,
  on,
  RESULT,
  startFake,
  videoReply,
  type FakeJob,
  type FakeReply,
  type JobState,
} from "./fake.ts";

const KEY = "AIza-fake";
const RUNNING = new Set(["queued", "in_progress"]);

/** The body that Google answers an error with. */
export function rpcError(
  status: number,
  name: string,
  message: string,
  details: unknown[] = [],
): FakeReply {
  return { status, json: { error: { code: status, message, status: name, details } } };
}

/** The body of an error about interactions, whose codes are words. */
export function interactionError(status: number, code: string, message: string): FakeReply {
  return { status, json: { error: { code, message } } };
}

const UNKNOWN = interactionError(404, "not_found", "Interaction not found.");

/** Where the fake keeps the bytes of a video; it wants the key there. */
const GEMINI_FILE = "/v1/files/one:download";

/** A state is told as the interaction's status and the fields that it has besides: `steps`, `errors`. */
export function startGeminiFake() {
  return startFake(({ url, record, look, jobOf }) => ({
    basePath: "/v1",
    key: KEY,
    accepts: (headers) => headers["x-goog-api-key"] === KEY,
    unauthorised: rpcError(400, "INVALID_ARGUMENT", "API key not valid.", [
      { reason: "API_KEY_INVALID", domain: "googleapis.com" },
    ]),
    notFound: rpcError(404, "NOT_FOUND", "Requested entity was not found."),
    operations: {
      submit: on("POST", /\/interactions/, (request) => {
        const id = `v1_${randomUUID().replaceAll("-", "")}`;
        return ok(interactionOf(record(request, id, "in_progress"), url()));
      }),
      poll: on("GET", /\/interactions\/([\w.-]+)/, (_request, id = "") =>
        look(id, (job) => ok(interactionOf(job, url())), UNKNOWN),
      ),
      cancel: on("POST", /\/interactions\/([\w.-]+)\/cancel/, (_request, id = "") => {
        const job = jobOf(id);
        if (!job) return UNKNOWN;
        if (!RUNNING.has(job.state.status)) {
          return interactionError(400, "invalid_request", "It has ended.");
        }
        if (!job.state["isDeaf"]) job.state = { status: "cancelled" };
        return ok(interactionOf(job, url()));
      }),
      image: on("POST", /\/models\/([\w.-]+):generateContent/, () => ok(pictureAnswer())),
      file: on("GET", /\/files\/one:download/, videoReply),
      check: on("GET", /\/models/, () =>
        ok({ models: [{ name: "models/some" }], nextPageToken: "2" }),
      ),
    },
  }));
}

/** A success whose one video lies at the URL. */
export function omniSucceeded(uri: string): JobState {
  return { status: "completed", steps: stepsWith({ type: "video", mime_type: "video/mp4", uri }) };
}

/** The steps of an interaction that made this. */
export function stepsWith(...content: object[]): object[] {
  return [
    { type: "user_input", content: [{ type: "text", text: "a cat" }] },
    { type: "model_output", content },
  ];
}

/** The answer with a picture, as the image models give it. */
export function pictureAnswer(): object {
  const inlineData = { mimeType: "image/png", data: RESULT.toString("base64") };
  const content = { role: "model", parts: [{ text: "Here it is." }, { inlineData }] };
  return { candidates: [{ content, finishReason: "STOP", index: 0 }], usageMetadata: {} };
}

/** The answer without a picture and the reason that it names. */
export function finishedWithout(finishReason: string): object {
  return { candidates: [{ content: {}, finishReason, index: 0 }], usageMetadata: {} };
}

function interactionOf({ id, request, state }: FakeJob, url: string): object {
  const { model } = request.json as { model: string };
  const { isDeaf: _, ...told } = state;
  const interaction = {
    id,
    object: "interaction",
    model,
    status: "in_progress",
    created: "2026-06-01T12:00:00Z",
    updated: "2026-06-01T12:00:00Z",
    steps: [],
  };
  const isPlain = state.status === "completed" && !("steps" in state);
  return { ...interaction, ...(isPlain ? omniSucceeded(`${url}${GEMINI_FILE}?alt=media`) : told) };
}
