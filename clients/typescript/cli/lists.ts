/** Lists generations, transactions, deliveries and requests, newest first, and the usage of days. */
import type {
  ApiRequest,
  Delivery,
  DeliveryFilter,
  FileFilter,
  ImageFilter,
  RequestFilter,
  StoredFile,
  Transaction,
  TransactionFilter,
  Usage,
  UsageFilter,
  VideoFilter,
} from "../index.ts";
import type {
  DeliveriesOptions,
  ListedKind,
  ListOptions,
  RequestsOptions,
  TransactionsOptions,
  UsageOptions,
} from "./list-commands.ts";
import { answerText, formatText } from "./details.ts";
import { programOf } from "./environment.ts";
import { tokensText } from "./progress-display.ts";
import type { Generation, Run } from "./run.ts";
import { tableLines, type Row } from "./table.ts";

const MAX_PAGE = 100;
const PROMPT_LENGTH = 40;

export async function list(
  run: Run,
  kind: ListedKind | undefined,
  given: ListOptions,
): Promise<void> {
  const { client, signal } = run;
  if (kind === "files") {
    const files = client.files.list(filterOf<FileFilter>(given), { signal });
    await printAll(run, files, given, FILE_HEADER, fileRow);
    return;
  }
  const query = filterOf<VideoFilter & ImageFilter>(given);
  const generations: AsyncIterable<Generation> =
    kind === "images"
      ? client.images.list(query, { signal })
      : client.videos.list(query, { signal });
  await printAll(run, generations, given, GENERATION_HEADER, generationRow);
  if (kind === undefined && !run.json)
    run.screen.line(`These are videos only. Images: ${programOf(run.env)} list images`);
}

export function transactions(run: Run, given: TransactionsOptions): Promise<void> {
  const { client, signal } = run;
  const found = client.transactions.list(filterOf<TransactionFilter>(given), { signal });
  return printAll(run, found, given, TRANSACTION_HEADER, transactionRow);
}

export function deliveries(run: Run, given: DeliveriesOptions): Promise<void> {
  const { client, signal } = run;
  const found = client.deliveries.list(filterOf<DeliveryFilter>(given), { signal });
  return printAll(run, found, given, DELIVERY_HEADER, deliveryRow);
}

export function requests(run: Run, given: RequestsOptions): Promise<void> {
  const { client, signal } = run;
  const found = client.requests.list(filterOf<RequestFilter>(given), { signal });
  return printAll(run, found, given, REQUEST_HEADER, requestRow);
}

/** Prints a line for each group, and the total. */
export async function usage(run: Run, given: UsageOptions): Promise<void> {
  const { client, signal, print, screen, json } = run;
  const found = await client.usage.retrieve(inApiNames<UsageFilter>(given), { signal });
  if (json) {
    print(JSON.stringify(found));
    return;
  }
  for (const line of tableLines(found.data.map((group) => [groupName(group), ...sumsOf(group)])))
    print(line);
  const total = sumsOf(found.total).join(", ");
  screen.line(`${found.mode} mode, ${found.from} to ${found.to}: ${total}`);
}

/** Prints as many as `limit` says; where there are none, says so beside the result. */
async function printAll<T>(
  run: Run,
  items: AsyncIterable<T>,
  { limit, ...filter }: { limit: number },
  header: Row,
  rowOf: (item: T) => Row,
): Promise<void> {
  const { print, screen, json } = run;
  const found: T[] = [];
  for await (const item of items) {
    if (json) print(JSON.stringify(item));
    found.push(item);
    if (found.length === limit) break;
  }
  const isFiltered = Object.keys(filter).length > 0;
  if (found.length === 0) screen.line(isFiltered ? "nothing found" : "nothing yet");
  else if (!json) printTable(run, header, found.map(rowOf));
}

/** The header is beside the result, so that programs that read the lines do not meet it. */
function printTable(
  { print, screen }: Pick<Run, "print" | "screen">,
  header: Row,
  rows: readonly Row[],
): void {
  const [first = "", ...lines] = tableLines(rows, header);
  screen.line(first);
  for (const line of lines) print(line);
}

/** The options as the API's filter, whose values the service checks. */
function filterOf<Filter>({ limit, ...rest }: { limit: number; generation?: string }): Filter {
  return { ...inApiNames<Filter>(rest), limit: Math.min(limit, MAX_PAGE) };
}

function inApiNames<Filter>(given: object): Filter {
  const { generation, ...rest } = given as { generation?: string };
  const named = Object.entries(rest).map(([name, value]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value as unknown,
  ]);
  const ofGeneration = generation === undefined ? {} : { generation_id: generation };
  return { ...Object.fromEntries(named), ...ofGeneration } as Filter;
}

const GENERATION_HEADER = ["id", "created", "status", "model", "prompt"];

function generationRow({ id, status, model, input, created_at: createdAt }: Generation): Row {
  return [id, createdAt, status, model, beginningOf(input.prompt)];
}

/** In one line, without what could write elsewhere on a terminal. */
function beginningOf(prompt: string): string {
  const text = prompt.replaceAll(/[\p{C}\s]+/gu, " ").trim();
  return text.length > PROMPT_LENGTH ? `${text.slice(0, PROMPT_LENGTH - 1)}…` : text;
}

const FILE_HEADER = ["id", "created", "deleted", "format", "url"];

function fileRow(file: StoredFile): Row {
  return [file.id, file.created_at, file.expires_at, formatText(file), file.url];
}

const TRANSACTION_HEADER = ["id", "created", "type", "change", "left", "generation or note"];

function transactionRow(entry: Transaction): Row {
  const change = `${entry.tokens > 0 ? "+" : ""}${tokensText(entry.tokens)}`;
  const left = `${tokensText(entry.available_after)} left`;
  return [
    entry.id,
    entry.created_at,
    entry.type,
    change,
    left,
    entry.generation_id ?? entry.note ?? undefined,
  ];
}

const DELIVERY_HEADER = ["id", "status", "event", "generation", "url", "answer"];

function deliveryRow({ id, status, type, generation_id, url, attempts }: Delivery): Row {
  const last = attempts.at(-1);
  return [id, status, type, generation_id, url, last && answerText(last)];
}

const REQUEST_HEADER = ["id", "created", "method", "path", "status", "error", "time"];

function requestRow(request: ApiRequest): Row {
  const { request_id, created_at, method, path, status, error_code, error_param } = request;
  const error = [error_code, error_param].filter(Boolean).join(": ") || undefined;
  return [request_id, created_at, method, path, `${status}`, error, `${request.duration_ms} ms`];
}

function groupName({ date, model, key_id, end_user }: Usage["data"][number]): string {
  return date ?? model ?? key_id ?? end_user ?? "(none)";
}

function sumsOf({ generations, captured, reserved }: Usage["total"]): string[] {
  const count = `${generations} ${generations === 1 ? "generation" : "generations"}`;
  const held = reserved > 0 ? [`${tokensText(reserved)} reserved`] : [];
  return [count, tokensText(captured), ...held];
}
