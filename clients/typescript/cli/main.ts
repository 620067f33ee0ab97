/** `npm run --silent generate -- PROMPT`: generates a video or an image from the command line. */
import { createClient } from "../index.ts";
import { errorText, EXIT, exitCodeOf } from "./exit-code.ts";
import { generate } from "./generate.ts";
import { apiKeyOf, baseUrlOf, commandLine } from "./options.ts";
import { screenOn } from "./progress-display.ts";

const screen = screenOn(process.stderr, Date.now);
const stopping = new AbortController();
// NOTE: `on`, not `once`: both the terminal and npm send the SIGINT, and the second must not end the process early.
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
      printPath: (path) => process.stdout.write(`${path}\n`),
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
  const mayContinue = code === EXIT.stopped || code === EXIT.unreachable;
  for (const line of [text, mayContinue ? hint : undefined]) {
    if (line !== undefined) screen.line(line);
  }
  process.exitCode = code;
}
