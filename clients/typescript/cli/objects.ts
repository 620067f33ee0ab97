/** Shows, lists, cancels and deletes what there is; of what kind an id is, it says by how it begins. */
import { ArgumentError, InvalidRequestError, type Delivery, type StoredFile } from "../index.ts";
import { inMoney } from "../money.ts";
import { checkReadable, inApiNames, type Kind } from "./create.ts";
import {
  deliveryText,
  fileText,
  formatText,
  generationText,
  modelLines,
  modelText,
  standOf,
  tableLines,
  timeText,
  tokensText,
  type Row,
} from "./display.ts";
import {
  getCommand,
  readStdin,
  show,
  STANDARD,
  waitFor,
  type Generation,
  type Run,
} from "./run.ts";
import { checkOut, finish } from "./save.ts";

const PREFIXES = { videos: "vgen_", images: "igen_", files: "file_", deliveries: "whd_" };
const HINTS: Readonly<Record<string, string>> = {
  evt_: ' "list deliveries --json" has the delivery of each event, by its event_id.',
  req_: " The dashboard shows requests, by their ids: /dashboard/go/requests.",
};
const MAX_PAGE = 100;
const PROMPT_LENGTH = 40;

/** Throws ArgumentError, which says how ids begin, for an id of another kind; nothing was sent then. */
export function kindOfId<Of extends keyof typeof PREFIXES>(id: string, kinds: readonly Of[]): Of {
  const kind = kinds.find((each) => id.startsWith(PREFIXES[each]));
  if (kind !== undefined) return kind;
  const starts = kinds.map((each) => PREFIXES[each]).join(" or ");
  const hint = Object.entries(HINTS).find(([start]) => id.startsWith(start))?.[1] ?? "";
  throw new ArgumentError(`There is no ${id} here: the id must begin with ${starts}.${hint}`);
}

export async function models(
  run: Run,
  id: string | undefined,
  options: { kind?: Kind },
): Promise<void> {
  const { client, signal, print, json } = run;
  if (id !== undefined) return show(run, await client.models.retrieve(id, { signal }), modelText);
  const all = await client.models.list({ signal });
  const found = all.filter(({ kind }) => options.kind === undefined || kind === options.kind);
  for (const line of json ? found.map((model) => JSON.stringify(model)) : modelLines(found))
    print(line);
}

export async function balance(run: Run): Promise<void> {
  const found = await run.client.balance.retrieve({ signal: run.signal });
  show(run, found, ({ mode, available, reserved, token_price: price, limits }) => {
    const money = price ? ` (about ${inMoney(available, price)})` : "";
    const tokens = `${tokensText(available)} available${money}, ${tokensText(reserved)} reserved`;
    const used = limits.map((limit) => {
      const of = `${tokensText(limit.used)} of ${tokensText(limit.tokens)} used`;
      return `limit of a ${limit.period}: ${of}`;
    });
    return [`${mode} mode: ${tokens}`, ...used].join("\n");
  });
}

/** Throws ArgumentError where the file cannot be read, or is empty. */
export async function upload(run: Run, file: string): Promise<void> {
  const { client, signal, print, json, screen, pathOf } = run;
  if (file !== STANDARD) await checkReadable(pathOf(file));
  const picture = file === STANDARD ? await readStdin(run, "picture") : { path: pathOf(file) };
  const stored = await client.files.create(picture, { signal }).catch((error: unknown) => {
    if (error instanceof InvalidRequestError) error.message = `${file}: ${error.message}`;
    throw error;
  });
  const { id, url, width, height } = stored;
  if (!json) screen.line(`${id}, ${width} × ${height}; deleted after 24 hours if nothing uses it:`);
  print(json ? JSON.stringify(stored) : url);
}

/** False if the generation that was to be saved or waited for failed or was canceled. */
export async function get(
  run: Run,
  id: string,
  { wait, output: out }: { wait?: boolean; output?: string },
): Promise<boolean | void> {
  const { client, signal } = run;
  const kind = kindOfId(id, ["videos", "images", "files", "deliveries"]);
  if (kind === "files" || kind === "deliveries") {
    if (wait || out !== undefined)
      throw new ArgumentError(
        "--wait and --output are for generations, whose ids begin with vgen_ or igen_.",
      );
    return kind === "files"
      ? show(run, await client.files.retrieve(id, { signal }), fileText)
      : show(run, await client.deliveries.retrieve(id, { signal }), deliveryText);
  }
  await checkOut(run, out);
  if (wait) run.setHint(`To try again: ${getCommand(run, id, out)}`, id);
  const generation = await (wait ? waitFor(run, kind, id) : client[kind].retrieve(id, { signal }));
  if (!wait && out === undefined) return show(run, generation, generationText);
  const { status } = generation;
  if (status === "pending" || status === "processing")
    throw new ArgumentError(`It is ${status}. To wait for it: ${getCommand(run, id, out)}`);
  return finish(run, generation, out);
}

/** `limit`, and the filters of the API by the names of their options. */
export type ListOptions = { limit: number; [filter: string]: string | number };

/** Prints as many as `limit` says; where there are none, says so beside the result. */
export async function list(
  run: Run,
  kind: keyof typeof PREFIXES | undefined,
  { limit, ...given }: ListOptions,
): Promise<void> {
  const { client, signal, print, screen, json } = run;
  const filter = { ...inApiNames(given), limit: Math.min(limit, MAX_PAGE) };
  const listed: AsyncIterable<Listed> = client[kind ?? "videos"].list(filter, { signal });
  const found: Listed[] = [];
  for await (const one of listed) {
    if (json) print(JSON.stringify(one));
    found.push(one);
    if (found.length === limit) break;
  }
  if (found.length === 0)
    screen.line(Object.keys(given).length > 0 ? "nothing found" : "nothing yet");
  else if (!json) {
    // The header is beside the result, so that programs that read the lines do not meet it.
    const [header = "", ...lines] = tableLines(found.map(rowOf), headerOf(kind));
    screen.line(header);
    for (const line of lines) print(line);
  }
  if (kind === undefined && !json)
    screen.line(`These are videos only. Images: ${run.program} list images`);
}

type Listed = Generation | StoredFile | Delivery;

function headerOf(kind: keyof typeof PREFIXES | undefined): string[] {
  if (kind === "files") return ["id", "created", "format", "url"];
  const more = kind === "deliveries" ? ["attempts", "answer", "event", "url"] : ["model", "prompt"];
  return ["id", "created", "status", ...more];
}

/** The prompt's beginning is in one line, without what could write elsewhere on a terminal. */
function rowOf(one: Listed): Row {
  const { id, created_at: createdAt } = one;
  const created = createdAt && timeText(createdAt);
  if (one.object === "file") return [id, created, formatText(one), one.url];
  if (one.object === "webhook.delivery") return [id, created, ...standOf(one), one.type, one.url];
  const { status, model, input } = one;
  const text = input.prompt.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  const beginning = text.length > PROMPT_LENGTH ? `${text.slice(0, PROMPT_LENGTH - 1)}…` : text;
  return [id, created, status, model, beginning];
}

export async function cancel(run: Run, id: string): Promise<void> {
  const { client, signal, screen, print, json } = run;
  const one = await client[kindOfId(id, ["videos", "images"])].cancel(id, { signal });
  if (json) print(JSON.stringify(one));
  const isDone = one.status === "canceled";
  screen.line(isDone ? "canceled; its Tokens are restored" : `${one.status}, to be canceled`);
}

/** Asks first, unless `yes`. Throws ArgumentError where nobody can answer. */
export async function remove(run: Run, id: string, { yes }: { yes?: boolean }): Promise<void> {
  const { client, signal, screen } = run;
  const kind = kindOfId(id, ["videos", "images", "files"]);
  if (!yes && !(await isAgreed(run, id))) return screen.line("Nothing is deleted.");
  await client[kind].delete(id, { signal });
  screen.line("deleted");
}

async function isAgreed({ stdin, screen, signal }: Run, id: string): Promise<boolean> {
  if (!stdin?.isTTY) throw new ArgumentError(`To delete ${id} for good, add --yes.`);
  screen.line(`Delete ${id} for good? [y/N]`);
  const stop = () => stdin.destroy?.();
  signal.addEventListener("abort", stop);
  for await (const chunk of stdin) return /^y(es)?$/i.test(String(chunk).trim());
  signal.throwIfAborted();
  return false;
}

export async function redeliver(run: Run, id: string): Promise<void> {
  const { client, signal, screen, print, json } = run;
  kindOfId(id, ["deliveries"]);
  const delivery = await client.deliveries.redeliver(id, { signal });
  if (json) print(JSON.stringify(delivery));
  screen.line(`An attempt is due now. To see its answer: ${run.program} get ${id}`);
}
