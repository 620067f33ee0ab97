/** The help of the whole command line, and the examples of its commands. */

/** `isCheckout`: whether it runs in the repository of the service, which has a demo account. */
export function helpText(isCheckout: boolean): string {
  const key = isCheckout
    ? `your API key; by default the demo account's key of test mode, which npm start writes to
                  .data/demo/test-key`
    : "your API key; the service's dashboard makes one";
  const url = isCheckout
    ? `the service's URL; by default http://localhost:PORT/v1, else that of .data/demo/url,
                  which npm start writes, else http://localhost:8080/v1`
    : "the service's URL; by default http://localhost:8080/v1";
  return `
The price is shown first, the charge at the end. The saved file's path, lists and JSON go to stdout; everything else goes
to stderr, without colours, and with a progress bar only on a terminal. Ctrl-C stops the waiting, not the generation, and
prints how to continue.

With --json stdout has JSON only, one object a line, as the API has it. Whatever fails prints
{"error": {"code": …, "message": …}} there, and its text to stderr. Codes that are not the API's: usage_error,
connection_error, timeout, save_error, stopped, unexpected_error.

Environment:
  MEDIA_API_KEY   ${key}
  MEDIA_BASE_URL  ${url}

Exit codes:
  0    it is done; the file, if there is one, is saved
  1    the generation failed or was canceled; its Tokens are restored
  2    the command is wrong, or the service refused the request
  3    the service or the file cannot be reached
  130  stopped with Ctrl-C; listen, which ends in no other way, exits with 0 then

Examples:
${EXAMPLES_OF_ALL.map((example) => `  ${example}`).join("\n")}`;
}

/** How each command is used. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  video: [
    'media-generation video "a cat in the rain" --model beta-3.0-video --duration 5 --output cat.mp4',
    'media-generation video "the cat wakes up" --model alpha-2.0 --image cat.png --output clips/',
    "media-generation video - --model beta-3.0-video < prompt.txt",
  ],
  image: [
    'media-generation image "a lighthouse" --model gamma-image-3.0-pro --size 1280x720',
    'media-generation image "at night" --model gamma-image-3.0-pro --image day.png --output night.png',
  ],
  models: ["media-generation models --kind video", "media-generation models beta-3.0-video"],
  balance: ["media-generation balance --json"],
  get: ["media-generation get vgen_… --wait --output cat.mp4"],
  list: [
    "media-generation list videos --status processing --json",
    "media-generation list images --limit 5",
  ],
  cancel: ["media-generation cancel vgen_…"],
  delete: ["media-generation delete vgen_…"],
  redeliver: ["media-generation redeliver whd_…"],
  upload: ["media-generation upload cat.png"],
  listen: ["media-generation listen --forward-to localhost:3000/webhooks"],
  help: ["media-generation help video"],
};

const EXAMPLES_OF_ALL = ["video", "image", "models", "list", "get", "listen"].flatMap(
  (name) => EXAMPLES[name]?.slice(0, 1) ?? [],
);

export function examplesText(name: string): string {
  const lines = EXAMPLES[name] ?? [];
  return `\n${lines.length > 1 ? "Examples" : "Example"}:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
