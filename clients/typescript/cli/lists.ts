/** Lists generations, transactions, deliveries and requests, newest first, and the usage of days. */
import type {
  ApiRequest,
  Delivery,
  DeliveryFilter,
  RequestFilter,
  Transaction,
  TransactionFilter,
  Usage,
  UsageFilter,
} from "../index.ts";
import type {
  DeliveriesOptions,
  ListedKind,
  ListOptions,
  RequestsOptions,
  TransactionsOptions,
  UsageOptions,
} from "./list-commands.ts";
import { answerText } from "./details.ts";
import { programOf } from "./environment.ts";
import { tokensText } from "./progress-display.ts";
import type { Generation, Run } from "./run.ts";

const MAX_PAGE = 100;

export async function list(
  run: Run,
  kind: ListedKind | undefined,
  given: ListOptions,
): Promise<void> {
  const { client, signal } = run;
  const { limit, ...filter } = given;
  const query = { ...filter, limit: pageOf(limit) };
  const generations: AsyncIterable<Generation> =
    kind === "images"
      ? client.images.list(query, { signal })
      : client.videos.list(query, { signal });
  await printAll(run, generations, given, generationLine);
  if (kind === undefined && !run.json)
    run.screen.line(`These are videos only. Images: ${programOf(run.env)} list images`);
}

export function transactions(run: Run, given: TransactionsOptions): Promise<void> {
  const { client, signal } = run;
  const found = client.transactions.list(filterOf<TransactionFilter>(given), { signal });
  return printAll(run, found, given, transactionLine);
}

export function deliveries(run: Run, given: DeliveriesOptions): Promise<void> {
  const { client, signal } = run;
  const found = client.deliveries.list(filterOf<DeliveryFilter>(given), { signal });
  return printAll(run, found, given, deliveryLine);
}

export function requests(run: Run, given: RequestsOptions): Promise<void> {
  const { client, signal } = run;
  const found = client.requests.list(filterOf<RequestFilter>(given), { signal });
  return printAll(run, found, given, requestLine);
}

/** Prints a line for each group, and the total. */
export async function usage(run: Run, { groupBy, ...days }: UsageOptions): Promise<void> {
  const filter = { ...days, ...(groupBy === undefined ? {} : { group_by: groupBy }) };
  const { client, signal, print, screen, json } = run;
  const found = await client.usage.retrieve(filter as UsageFilter, { signal });
  if (json) {
    print(JSON.stringify(found));
    return;
  }
  for (const group of found.data) print(`${groupName(group)}  ${sumsText(group)}`);
  screen.line(`${found.mode} mode, ${found.from} to ${found.to}: ${sumsText(found.total)}`);
}

/** Prints as many as `limit` says; where there are none, says so beside the result. */
async function printAll<T>(
  { print, screen, json }: Run,
  items: AsyncIterable<T>,
  { limit, ...filter }: { limit: number },
  lineOf: (item: T) => string,
): Promise<void> {
  let printed = 0;
  for await (const item of items) {
    print(json ? JSON.stringify(item) : lineOf(item));
    printed += 1;
    if (printed === limit) return;
  }
  if (printed === 0) screen.line(Object.keys(filter).length > 0 ? "nothing found" : "nothing yet");
}

function pageOf(limit: number): number {
  return Math.min(limit, MAX_PAGE);
}

/** The options as the API's filter, whose values the service checks. */
function filterOf<Filter>({
  limit,
  generation,
  ...rest
}: TransactionsOptions | DeliveriesOptions | RequestsOptions): Filter {
  const ofGeneration = generation === undefined ? {} : { generation_id: generation };
  return { ...rest, ...ofGeneration, limit: pageOf(limit) } as Filter;
}

function generationLine({ id, status, model, created_at: createdAt }: Generation): string {
  return [id, createdAt, status.padEnd("processing".length), model].join("  ");
}

function transactionLine(entry: Transaction): string {
  const change = `${entry.tokens > 0 ? "+" : ""}${tokensText(entry.tokens)}`;
  const left = `${tokensText(entry.available_after)} left`;
  const about = entry.generation_id ?? entry.note;
  return fields([entry.id, entry.created_at, entry.type.padEnd(10), change, left, about]);
}

function deliveryLine({ id, status, type, generation_id, url, attempts }: Delivery): string {
  const last = attempts.at(-1);
  return fields([id, status.padEnd(9), type, generation_id, url, last && answerText(last)]);
}

function requestLine(request: ApiRequest): string {
  const { request_id, created_at, method, path, status, error_code, duration_ms } = request;
  return fields([
    request_id,
    created_at,
    method,
    path,
    `${status}`,
    error_code,
    `${duration_ms} ms`,
  ]);
}

function groupName({ date, model, key_id, end_user }: Usage["data"][number]): string {
  return date ?? model ?? key_id ?? end_user ?? "(none)";
}

function sumsText({ generations, captured, reserved }: Usage["total"]): string {
  const held = reserved > 0 ? `, ${tokensText(reserved)} reserved` : "";
  return `${generations} ${generations === 1 ? "generation" : "generations"}, ${tokensText(captured)}${held}`;
}

function fields(values: readonly (string | undefined)[]): string {
  return values.filter((value) => value !== undefined).join("  ");
}
