/** The help of the whole command line, and the parsers of option values. */
import { InvalidArgumentError } from "commander";
import { didYouMean } from "../http/nearest.ts";
import type { Reference } from "./create-request.ts";

export const HELP = `
The price is shown first, the charge at the end. Progress goes to stderr; the saved file's path, lists and JSON go to
stdout. Ctrl-C stops the waiting, not the generation, and prints how to continue. With --json stdout has JSON only, one
object a line; what fails prints {"error": {"code": …, "message": …}} there, as the API has it, and its text to stderr.

Environment:
  MEDIA_API_KEY   your API key; by default the demo account's key of test mode, which npm start writes to
                  .data/demo/test-key
  MEDIA_BASE_URL  the service's URL; by default http://localhost:PORT/v1, with PORT 8080

Exit codes:
  0    it is done; the file, if there is one, is saved
  1    the generation failed or was canceled; its Tokens are restored
  2    the command is wrong, or the service refused the request
  3    the service or the file cannot be reached
  130  stopped with Ctrl-C

Examples:
  media-generation video "a cat in the rain" --model beta-3.0-video --duration 5 --out cat.mp4
  media-generation video "the cat wakes up" --model alpha-2.0 --image cat.png
  media-generation image "a lighthouse" --model gamma-image-3.0-pro --size 1280x720
  echo "a cat in the snow" | media-generation video - --model beta-3.0-video
  media-generation list videos --status processing --json
  media-generation get vgen_… --wait --out cat.mp4
  media-generation usage --group-by model
  media-generation listen --forward-to localhost:3000/webhooks`;

export function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

export function atLeastOne(text: string): number {
  const count = wholeNumber(text);
  if (count >= 1) return count;
  throw new InvalidArgumentError("It must be at least 1.");
}

/** A parser that takes one of these words, and says which may be meant by another. */
export function choice(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    const choices = `Allowed choices are ${words.join(", ")}.`;
    throw new InvalidArgumentError(`${choices}${didYouMean(text, words)}`);
  };
}

export function appended(text: string, before: string[] = []): string[] {
  return [...before, text];
}

export function withMetadata(
  text: string,
  before: Record<string, string> = {},
): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new InvalidArgumentError("It must be like order=8841.");
  }
  return { ...before, [key]: value };
}

export function withReference(text: string, before: Reference[] = []): Reference[] {
  const [, role, picture] = /^([a-z]+)=(.+)$/s.exec(text) ?? [];
  if (role === undefined || picture === undefined) {
    throw new InvalidArgumentError("It must be like subject=cat.png.");
  }
  return [...before, { role, picture }];
}
