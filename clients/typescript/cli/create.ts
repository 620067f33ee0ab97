/** Shows the price, creates a generation, waits for it, saves its file and shows the charge. */
import { access, constants, stat } from "node:fs/promises";
import { ArgumentError, quoteTokens, type ImageRequest, type VideoRequest } from "../index.ts";
import { modelLines, tokensText } from "./display.ts";
import { getCommand, readStdin, STANDARD, waitFor, type Run } from "./run.ts";
import { checkOut, finish } from "./save.ts";

/** All other options are fields of the request, such as `aspectRatio`. */
export type CreateOptions = {
  model?: string;
  image?: string[];
  lastImage?: string;
  n?: number;
  output?: string;
  idempotencyKey?: string;
  wait?: boolean;
  [field: string]: unknown;
};

export type Kind = "video" | "image";

/** True if the file is saved or nothing is waited for, false if the generation failed or was canceled. */
export async function create(
  run: Run,
  kind: Kind,
  prompt: string,
  options: CreateOptions,
): Promise<boolean> {
  const { client, screen, signal } = run;
  const { output: out, wait = true, image = [], lastImage, idempotencyKey: key } = options;
  await checkOut(run, out, options.n);
  const pictures = lastImage === undefined ? image : [...image, lastImage];
  for (const text of pictures)
    if (text !== STANDARD && !isUrl(text)) await checkReadable(run.pathOf(text));
  if ([prompt, ...pictures].filter((text) => text === STANDARD).length > 1)
    throw new ArgumentError("Only one of prompt and pictures can be -, the standard input.");
  const piped = pictures.includes(STANDARD) ? await readStdin(run, "picture") : undefined;
  const text = prompt === STANDARD ? (await readStdin(run, "prompt")).toString().trim() : prompt;
  if (text.trim() === "") throw new ArgumentError("The prompt is empty.");
  const models = (await client.models.list({ signal })).filter((each) => each.kind === kind);
  if (options.model === undefined)
    throw new ArgumentError(`Choose a --model:\n  ${modelLines(models).join("\n  ")}`);
  const body = requestFor(kind, text, options, run.pathOf, piped);
  const { available, mode } = await client.balance.retrieve({ signal });
  const model = models.find((each) => each.id === options.model);
  const price = model && quoteTokens(model, body);
  const showPrice = () => {
    // Without a price the request will be refused, or the catalog has none: nothing is to be said before the answer.
    if (price === undefined) return;
    const balance = `${mode === "test" ? "test " : ""}balance ${tokensText(available)}`;
    screen.line(`${options.model} costs ${tokensText(price)}; ${balance}.`);
  };
  // A request that was made before costs nothing, which only the answer tells.
  if (key === undefined) showPrice();
  const idempotencyKey = key ?? crypto.randomUUID();
  run.setHint(
    `If the request was accepted, the same command with --idempotency-key ${idempotencyKey} continues it without a second charge.`,
  );
  const { data, response } = await (kind === "image"
    ? client.images.create(body, { idempotencyKey, signal, respondAsync: true }).withResponse()
    : client.videos.create(body, { idempotencyKey, signal }).withResponse());
  const isRepeated = response.headers.has("idempotent-replayed");
  if (isRepeated) screen.line("The same request was made before: nothing is charged again.");
  else if (key !== undefined) showPrice();
  const { id } = data;
  const getIt = getCommand(run, id, out);
  if (!wait) {
    run.print(run.json ? JSON.stringify(data) : id);
    screen.line(`To wait for it: ${getIt}`);
    return true;
  }
  screen.line(id);
  const goOn = `The generation continues. To wait for it again: ${getIt}`;
  run.setHint(`${goOn}\nTo cancel it: ${run.program} cancel ${id}`, id);
  return finish(run, await waitFor(run, `${kind}s`, id), out, isRepeated);
}

/** The service checks the values. `piped` is the picture of the standard input. A video's second picture is an ArgumentError. */
export function requestFor(
  kind: Kind,
  prompt: string,
  options: CreateOptions,
  pathOf: Run["pathOf"],
  piped?: Uint8Array,
): VideoRequest & ImageRequest {
  const picture = (text: string) =>
    text === STANDARD && piped ? piped : isUrl(text) ? text : { path: pathOf(text) };
  const { image, lastImage, output: _, idempotencyKey: _key, wait: _wait, ...fields } = options;
  const pictures = image?.map(picture);
  if (kind === "video" && pictures && pictures.length > 1)
    throw new ArgumentError("A video takes one --image at most.");
  return {
    ...inApiNames(fields),
    prompt,
    ...(pictures && (kind === "image" ? { image_urls: pictures } : { image_url: pictures[0] })),
    ...(lastImage !== undefined && { last_image_url: picture(lastImage) }),
  } as VideoRequest & ImageRequest;
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Throws ArgumentError for a file that cannot be read, or is empty; called before Tokens are spent. */
export async function checkReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new ArgumentError(`Cannot read the file ${path}: does it exist?`, { cause });
  });
  const found = await stat(path);
  if (found.isFile() && found.size === 0) throw new ArgumentError(`The file ${path} is empty.`);
}

/** Options by the names of the API's fields: `aspect_ratio` for `aspectRatio`. */
export function inApiNames(options: object): Record<string, unknown> {
  const named = Object.entries(options).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value as unknown,
  ]);
  return Object.fromEntries(named) as Record<string, unknown>;
}
