/** A fake of the Gemini API: Veo's operations, and images made within the call. */
import { randomUUID } from "node:crypto";
import { RESULT, startFake, type FakeReply, type JobState } from "./fake-upstream.ts";

const KEY = "AIza-fake";

/** The body that Google answers an error with. */
export function rpcError(
  status: number,
  name: string,
  message: string,
  details: unknown[] = [],
): FakeReply {
  return { status, json: { error: { code: status, message, status: name, details } } };
}

/** Where the fake keeps the bytes of a video; it wants the key there. */
const GEMINI_FILE = "/v1beta/files/one:download";

/** A state is told as the operation's fields beside its name: `done`, `error`, `response`. */
export function startGeminiFake() {
  return startFake(({ url, record, look }) => ({
    basePath: "/v1beta",
    key: KEY,
    isAuthorised: ({ headers }) => headers["x-goog-api-key"] === KEY,
    unauthorised: rpcError(
      400,
      "INVALID_ARGUMENT",
      "API key not valid. Please pass a valid API key.",
      [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "API_KEY_INVALID",
          domain: "googleapis.com",
        },
      ],
    ),
    notFound: rpcError(404, "NOT_FOUND", "Requested entity was not found."),
    operations: [
      {
        name: "submit",
        method: "POST",
        path: /\/(models\/[\w.-]+):predictLongRunning/,
        handle: (request, model = "") => {
          const name = `${model}/operations/${randomUUID().slice(0, 8)}`;
          record(request, name, { status: "running" });
          return { status: 200, json: { name } };
        },
      },
      {
        name: "poll",
        method: "GET",
        path: /\/(models\/[\w.-]+\/operations\/[\w.-]+)/,
        handle: (_request, name = "") => operationReply(name, look(name)?.state, url()),
      },
      {
        name: "image",
        method: "POST",
        path: /\/models\/[\w.-]+:generateContent/,
        handle: () => ({ status: 200, json: pictureAnswer() }),
      },
      {
        name: "file",
        method: "GET",
        path: /\/files\/one:download/,
        handle: () => ({ status: 200, headers: { "content-type": "video/mp4" }, raw: RESULT }),
      },
      {
        name: "check",
        method: "GET",
        path: /\/models/,
        handle: () => ({
          status: 200,
          json: { models: [{ name: "models/some" }], nextPageToken: "2" },
        }),
      },
    ],
  }));
}

/** A success whose one sample lies at the URL. */
export function veoSucceeded(uri: string): JobState {
  const generateVideoResponse = { generatedSamples: [{ video: { uri } }] };
  return { status: "done", done: true, response: { generateVideoResponse } };
}

/** What looks like a success: every sample was filtered. */
export const veoFiltered: JobState = {
  status: "done",
  done: true,
  response: {
    generateVideoResponse: {
      raiMediaFilteredCount: 1,
      raiMediaFilteredReasons: ["as the upstream words it"],
    },
  },
};

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

function operationReply(name: string, state: JobState | undefined, url: string): FakeReply {
  if (!state || state.status === "gone") return rpcError(404, "NOT_FOUND", "Operation not found.");
  const { status, ...fields } = state;
  if (status !== "succeeded") return { status: 200, json: { name, ...fields } };
  const { status: _, ...success } = veoSucceeded(`${url}${GEMINI_FILE}?alt=media`);
  return { status: 200, json: { name, ...success } };
}
