/** Shows the price, creates a generation, waits for it, saves its file and shows the charge. */
import { quoteTokens } from "../index.ts";
import { UsageError } from "./cli-errors.ts";
import {
  checkPictures,
  picturesOf,
  requestFor,
  type CreateOptions,
  type Kind,
  type Request,
} from "./create-request.ts";
import { checkOut, waitFor } from "./get.ts";
import { modelLines } from "./details.ts";
import { tokensText } from "./progress-display.ts";
import { finish, getCommand, type Generation, type Run } from "./run.ts";
import { readStdin, STDIN } from "./standard-streams.ts";

/** True if the file is saved or nothing is waited for, false if the generation failed or was canceled. */
export async function create(
  run: Run,
  kind: Kind,
  prompt: string,
  options: CreateOptions,
): Promise<boolean> {
  await checkOut(run, options.output, options.n);
  await checkPictures(options, run.env);
  const piped = await pipedPicture(run, prompt, options);
  const text = await promptFrom(run, prompt);
  const { client, screen, signal } = run;
  const models = await client.models.list({ signal });
  const model = models.find((each) => each.id === options.model && each.kind === kind);
  if (options.model === undefined) {
    const lines = modelLines(models.filter((each) => each.kind === kind));
    throw new UsageError(`Choose a --model; the catalog has:\n  ${lines.join("\n  ")}`);
  }
  const request = requestFor(kind, text, options, run.env, piped);
  const { available, mode } = await client.balance.retrieve({ signal });
  const price = model && quoteTokens(model, request.body);
  const test = mode === "test" ? "test " : "";
  const showPrice = () => {
    // Without a price the request will be refused, or the catalog has none: nothing is to be said before the answer.
    if (price === undefined) return;
    screen.line(
      `${options.model} costs ${tokensText(price)}; ${test}balance ${tokensText(available)}.`,
    );
  };
  // A request that was made before costs nothing, which only the answer tells.
  if (options.idempotencyKey === undefined) showPrice();
  const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
  run.setHint(
    `If the request was accepted, the same command with --idempotency-key ${idempotencyKey} continues it without a second charge.`,
  );
  const accepted = await submit(run, request, idempotencyKey);
  if (accepted.isRepeated)
    screen.line("The same request was made before: nothing is charged again.");
  else if (options.idempotencyKey !== undefined) showPrice();
  return follow(run, accepted, options);
}

type Accepted = { generation: Generation; isRepeated: boolean };

async function submit(
  { client, signal }: Run,
  request: Request,
  idempotencyKey: string,
): Promise<Accepted> {
  const options = { idempotencyKey, signal };
  const { data, response } = await (request.kind === "image"
    ? client.images.create(request.body, { ...options, respondAsync: true }).withResponse()
    : client.videos.create(request.body, options).withResponse());
  return { generation: data, isRepeated: response.headers.has("idempotent-replayed") };
}

async function follow(
  run: Run,
  { generation, isRepeated }: Accepted,
  { output: out, wait = true }: CreateOptions,
): Promise<boolean> {
  const { id } = generation;
  if (!wait) {
    run.print(run.json ? JSON.stringify(generation) : id);
    run.screen.line(`To wait for it: ${getCommand(run, id, out)}`);
    return true;
  }
  run.screen.line(id);
  const goOn = `The generation continues. To wait for it again: ${getCommand(run, id, out)}`;
  run.setHint(`${goOn}\nTo cancel it: ${run.program} cancel ${id}`, id);
  return finish(run, await waitFor(run, id), { out, isRepeated });
}

/** The prompt, which `-` reads from the standard input. Throws UsageError where there is none. */
async function promptFrom(run: Run, prompt: string): Promise<string> {
  if (prompt.trim() === "") throw new UsageError("The prompt is empty.");
  if (prompt !== STDIN) return prompt;
  const text = (await readStdin(run, "prompt")).toString().trim();
  if (text === "") throw new UsageError("The standard input has no prompt.");
  return text;
}

/** The picture of the standard input, which one option may name. */
async function pipedPicture(run: Run, prompt: string, options: CreateOptions) {
  const readers = [prompt, ...picturesOf(options)].filter((text) => text === STDIN);
  if (readers.length > 1)
    throw new UsageError("Only one of the prompt and the pictures can be -, the standard input.");
  return readers.length === 1 && prompt !== STDIN ? readStdin(run, "picture") : undefined;
}
