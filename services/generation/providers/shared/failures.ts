/** The failures of upstreams, with messages for client developers that name and quote no provider. */
import type { Failure } from "../provider.ts";

export const UPSTREAM_FAILURES = {
  contentRejected: {
    code: "content_rejected",
    message:
      "The prompt or a picture was refused by the content rules. Nothing was charged; change it and create the generation again.",
  },
  promptRejected: {
    code: "content_rejected",
    message:
      "The prompt was refused by the content rules. Nothing was charged; rephrase it and create the generation again.",
  },
  pictureRejected: {
    code: "content_rejected",
    message:
      "A picture was refused by the content rules. Nothing was charged; use another one and create the generation again.",
  },
  outputRejected: {
    code: "content_rejected",
    message:
      "The result was withheld by the content rules. Nothing was charged; rephrase the prompt or use another seed, and create it again.",
  },
  invalidInput: {
    code: "invalid_input",
    message:
      "The model could not use this input. Nothing was charged; check the prompt, the pictures and the size, and create it again.",
  },
  unreadablePicture: {
    code: "invalid_input",
    message:
      "A picture could not be read. Nothing was charged; its URL must answer with a JPEG, PNG or WebP that anybody can fetch.",
  },
  unsuitablePicture: {
    code: "invalid_input",
    message:
      "A picture is too large, too small or of a shape that the model does not take. Nothing was charged; use another one and create it again.",
  },
  promptTooLong: {
    code: "invalid_input",
    message:
      "The prompt is longer than this model takes. Nothing was charged; shorten it and create the generation again.",
  },
  negativePromptTooLong: {
    code: "invalid_input",
    message:
      "negative_prompt is longer than this model takes, also as a part of the prompt. Nothing was charged; shorten it and create the generation again.",
  },
  failed: {
    code: "upstream_failed",
    message: "The model failed to make a result. Nothing was charged; create it again.",
  },
  timedOut: {
    code: "upstream_timeout",
    message: "The model took longer than allowed. Nothing was charged; create it again.",
  },
  resultGone: {
    code: "expired",
    message: "The result was gone before it could be copied. Nothing was charged; create it again.",
  },
} as const satisfies Record<string, Failure>;
