/** Paths of other APIs, which programs that come from there ask for, and what does the same here. */

const OPENAI = "OpenAI's clients need the base URL that /docs/guides/openai names";
const MAKE =
  "Here POST /v1/videos/generations makes a video, and POST /v1/images/generations an image";

/** In any segment of a path; the others only in the first. */
const ANYWHERE = ["predictions", "edits"];

const MAKES_ONLY = "This service makes videos and images only";
/** What OpenAI's clients have for text and sound. */
const OTHER_MEDIA = ["responses", "chat", "completions", "embeddings", "audio", "moderations"];

const HINTS: Readonly<Record<string, string>> = {
  ...hints(["predictions", "deployments", "trainings"], `${MAKE}: see /docs/guides/replicate`),
  ...hints(["queue", "fal-ai"], `${MAKE}: see /docs/guides/fal`),
  ...hints(OTHER_MEDIA, `${MAKES_ONLY}. ${MAKE}. ${OPENAI}`),
  ...hints(
    ["edits"],
    `Here POST /v1/images/generations takes the pictures to edit as image_urls. ${OPENAI}`,
  ),
  ...hints(
    ["run", "generate", "generations", "text-to-video", "image-to-video", "text-to-image", "jobs"],
    MAKE,
  ),
  ...hints(["upload", "uploads", "storage"], "Here POST /v1/files takes a picture"),
  ...hints(["account", "credits", "billing"], "Here GET /v1/balance has the Tokens that are left"),
};

const ROOT =
  "The operations are below it: /docs describes them, /openapi.json is the specification.";

/** The hint for a path below the prefix of the API, as sentences. */
export function otherApiHint(path: string): string | undefined {
  if (path === "" || path === "/") return ROOT;
  const segments = path.split("/");
  const name = segments.find((segment) => ANYWHERE.includes(segment)) ?? segments[1] ?? "";
  const known = name.toLowerCase().replaceAll("_", "-");
  return Object.hasOwn(HINTS, known) ? HINTS[known] : undefined;
}

/** The hint for a path below the prefix of the OpenAI dialect. */
export function otherMediaHint(path: string): string | undefined {
  if (!OTHER_MEDIA.includes(path.split("/")[1] ?? "")) return undefined;
  return `${MAKES_ONLY}: /docs/guides/openai lists what works.`;
}

function hints(names: readonly string[], hint: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `${hint}.`]));
}
