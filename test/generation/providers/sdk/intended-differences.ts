/** Every way in which a request of ours differs from that of the vendor's SDK for the same job, and why. */
import type { Differences } from "./same-request.ts";

const TELEMETRY = "The SDK tells of itself and its platform.";
const DEFAULT = "The SDK sends a default.";
const WITHOUT_BODY = "A request without a body has no type.";

const stainless: Differences = Object.fromEntries(
  ["arch", "lang", "os", "package-version", "retry-count", "runtime", "runtime-version"].map(
    (name) => [`header.x-stainless-${name}`, TELEMETRY],
  ),
);
const arkVideo: Differences = {
  "body.execution_expires_after": "A task that nobody waits for any more ends at the vendor, too.",
  "body.safety_identifier": "The vendor asks resellers for it; this SDK does not know it.",
};
const interaction: Differences = {
  "header.x-goog-api-client": TELEMETRY,
  "header.cookie": "The SDK sends an empty one.",
};

export const INTENDED = {
  openaiImage: stainless,
  openaiEdit: stainless,
  openaiVideo: {
    ...stainless,
    "header.content-type": "Gateways that still serve videos take JSON, the SDK sends a form.",
  },
  geminiImage: { "header.x-goog-api-client": TELEMETRY },
  geminiVideo: interaction,
  geminiPoll: { ...interaction, "header.content-type": WITHOUT_BODY, "query.stream": DEFAULT },
  geminiCancel: { ...interaction, "header.content-type": WITHOUT_BODY },
  replicate: {},
  replicateRead: { "header.content-type": WITHOUT_BODY },
  fal: { "header.x-fal-queue-priority": DEFAULT },
  falStatus: { "header.content-type": WITHOUT_BODY, "query.logs": DEFAULT },
  falCancel: { "header.content-type": WITHOUT_BODY },
  dashscope: {
    "body.parameters.watermark": "Outputs are never marked; some models do so by default.",
  },
  ark: arkVideo,
  arkFrame: {
    ...arkVideo,
    "body.content.1.role": "The role of one picture is a default, which we say.",
    "body.ratio": "Newer models refuse a fixed ratio beside a first frame.",
  },
  arkImage: {
    "body.response_format": "Results are copied from their URL; the SDK takes them in the answer.",
    "body.seed": "The model takes one; the SDK says that it does not.",
  },
} as const satisfies Record<string, Differences>;
