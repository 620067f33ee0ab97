/** `npm run --silent generate -- PROMPT`: a video or an image from the command line, by the client. */
import { createClient } from "../index.ts";
import { errorText, EXIT, exitCodeOf } from "./exit-code.ts";
import { generate } from "./generate.ts";
import { apiKeyOf, baseUrlOf, commandLine } from "./options.ts";
import { screenOn } from "./screen.ts";

const screen = screenOn(process.stderr, Date.now);
const stopping = new AbortController();
// NOTE: `on`, not `once`: a Ctrl-C reaches us from the terminal and from npm, and the second one must not cut the words short.
process.on("SIGINT", () => stopping.abort());
process.on("SIGTERM", () => stopping.abort());

let hint: string | undefined;

const program = commandLine(async (prompt, options) => {
  const { env } = process;
  const client = createClient({ baseUrl: baseUrlOf(options, env), apiKey: apiKeyOf(env) });
  const isSaved = await generate(
    {
      client,
      screen,
      answer: (path) => process.stdout.write(`${path}\n`),
      env,
      signal: stopping.signal,
      setHint: (text) => (hint = text),
    },
    prompt,
    options,
  );
  process.exitCode = isSaved ? EXIT.saved : EXIT.failed;
});

try {
  await program.parseAsync();
} catch (error) {
  const code = stopping.signal.aborted ? EXIT.stopped : exitCodeOf(error);
  if (code === undefined) throw error;
  const text = stopping.signal.aborted ? "Stopped waiting." : errorText(error);
  const isOpen = code === EXIT.stopped || code === EXIT.unreachable;
  for (const line of [text, isOpen ? hint : undefined]) {
    if (line !== undefined) screen.line(line);
  }
  process.exitCode = code;
}
