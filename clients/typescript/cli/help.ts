/** The help of the whole command line, and the examples of its commands. */

import { IS_CHECKOUT } from "./environment.ts";

/** `program` is what the user types. */
export function helpText(program: string): string {
  const key = IS_CHECKOUT
    ? `your API key; by default the demo account's key of test mode, which npm start writes to
                  .data/demo/test-key`
    : "your API key; the service's dashboard makes one";
  const url = IS_CHECKOUT
    ? `the service's URL; by default http://localhost:PORT/v1, else that of .data/demo/url,
                  which npm start writes, else http://localhost:8080/v1`
    : "the service's URL; by default that of the service which npm has this package from";
  return `
The price is shown first, the charge at the end. The saved file's path, lists and JSON go to stdout; everything else goes
to stderr. Colours, unless NO_COLOR is set, and a progress bar are for terminals only. Times are those of your time zone.
Ctrl-C stops the waiting, not the generation, and prints how to continue and how to cancel.

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
${EXAMPLES_OF_ALL.map((example) => `  ${program} ${example}`).join("\n")}`;
}

/** How each command is used. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  video: [
    'video "a cat in the rain" --model beta-3.0-video --duration 5 --output cat.mp4',
    'video "the cat wakes up" --model alpha-2.0 --image cat.png --output clips/',
    "video - --model beta-3.0-video < prompt.txt",
  ],
  image: [
    'image "a lighthouse" --model gamma-image-3.0-pro --size 1280x720',
    'image "at night" --model gamma-image-3.0-pro --image day.png --output night.png',
  ],
  models: ["models --kind video", "models beta-3.0-video"],
  balance: ["balance --json"],
  get: ["get vgen_… --wait --output cat.mp4"],
  list: ["list videos --status processing --json", "list images --limit 5"],
  cancel: ["cancel vgen_…"],
  delete: ["delete vgen_… --yes"],
  redeliver: ["redeliver whd_…"],
  upload: ["upload cat.png"],
  listen: ["listen --forward-to localhost:3000/webhooks"],
};

const EXAMPLES_OF_ALL = ["video", "image", "models", "list", "get", "listen"].flatMap(
  (name) => EXAMPLES[name]?.slice(0, 1) ?? [],
);

export function examplesText(program: string, name: string): string {
  const lines = (EXAMPLES[name] ?? []).map((line) => `  ${program} ${line}`);
  return `\n${lines.length > 1 ? "Examples" : "Example"}:\n${lines.join("\n")}`;
}
