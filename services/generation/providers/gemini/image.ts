/** Builds requests to Gemini's image models and reads their answers. */
import { ratioOf } from "../shared/frame.ts";
import { inlineSource } from "../shared/inline.ts";
import { at, listAt, textAt } from "../shared/json.ts";
import { objectAt } from "../shared/model-input.ts";
import { promptOf } from "../shared/prompt.ts";
import type { Job, Source } from "../provider.ts";

/** The content of a 200 answer: the model may have blocked the prompt or drawn nothing. */
export type Drawn =
  | { kind: "picture"; source: Source }
  | { kind: "blocked" }
  /** A repeated call may succeed. */
  | { kind: "nothing" }
  | { kind: "unreadable" };

const BLOCKED = new Set([
  "SAFETY",
  "IMAGE_SAFETY",
  "PROHIBITED_CONTENT",
  "IMAGE_PROHIBITED_CONTENT",
  "BLOCKLIST",
  "SPII",
  "RECITATION",
  "IMAGE_RECITATION",
]);
const NOTHING = new Set(["NO_IMAGE", "IMAGE_OTHER", "OTHER"]);
const RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9", "21:9"];
/** Above these, the next tier is nearer. */
const MAX_PIXELS_1K = 1_500_000;
const MAX_PIXELS_2K = 6_000_000;

/** The body of `generateContent`; `parameters.generationConfig` of the upstream is added to it. */
export function imageRequest(job: Job): object {
  const inline = (job.pictures ?? []).map(({ content, contentType }) => ({
    inlineData: { mimeType: contentType, data: Buffer.from(content).toString("base64") },
  }));
  const { imageConfig, ...configured } = objectAt(job.parameters, "generationConfig");
  return {
    contents: [{ role: "user", parts: [{ text: promptOf(job) }, ...inline] }],
    generationConfig: {
      responseModalities: ["IMAGE"],
      imageConfig: {
        aspectRatio: ratioOf(job, RATIOS),
        imageSize: tierOf(job),
        ...objectAt({ imageConfig }, "imageConfig"),
      },
      ...configured,
    },
  };
}

export function drawn(body: unknown): Drawn {
  if (textAt(body, "promptFeedback", "blockReason") !== undefined) return { kind: "blocked" };
  const [candidate] = listAt(body, "candidates");
  if (BLOCKED.has(textAt(candidate, "finishReason") ?? "")) return { kind: "blocked" };
  const parts = listAt(candidate, "content", "parts").filter((part) => at(part, "inlineData"));
  // Thoughts are drafts.
  const last = parts.findLast((part) => at(part, "thought") !== true) ?? parts.at(-1);
  const source = inlineSource(textAt(last, "inlineData", "data") ?? "");
  if (source) return { kind: "picture", source };
  const reason = textAt(candidate, "finishReason") ?? "";
  return { kind: NOTHING.has(reason) ? "nothing" : "unreadable" };
}

function tierOf({ width, height }: Job): "1K" | "2K" | "4K" {
  const pixels = width * height;
  if (pixels <= MAX_PIXELS_1K) return "1K";
  return pixels <= MAX_PIXELS_2K ? "2K" : "4K";
}
