/** Records what is sent to an upstream and answered within one call, for operators who report a fault. */
import { AsyncLocalStorage } from "node:async_hooks";

/** Headers are left out: the key is one. */
export type Exchange = {
  method: string;
  address: string;
  sent: unknown;
  status: number;
  answered: string;
};

/** The parts of a call that are shown. */
type Sent = {
  method: string;
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  json?: unknown;
  form?: Iterable<[string, unknown]>;
};

const MAX_TEXT = 20_000;
const MIN_SECRET = 8;
const recorder = new AsyncLocalStorage<Exchange[]>();

/** Runs the call; `exchanges` has what was answered to it and to the calls that it made, also if it throws. */
export async function recordExchanges<T>(exchanges: Exchange[], run: () => Promise<T>): Promise<T> {
  return recorder.run(exchanges, run);
}

/** Does nothing unless `recordExchanges` runs. `secrets` are headers whose values must not appear. */
export function noteExchange(
  sent: { call: Sent; baseUrl: string; secrets: Readonly<Record<string, string>> },
  status: number,
  answered: string,
): void {
  const exchanges = recorder.getStore();
  if (!exchanges) return;
  const { call, baseUrl, secrets } = sent;
  const hide = hiding(Object.values(secrets));
  const address = call.path.startsWith("/") ? `${baseUrl}${call.path}` : call.path;
  const query = new URLSearchParams(
    Object.entries(call.query ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    ),
  );
  const body = call.form ? formOf(call.form) : call.json;
  exchanges.push({
    method: call.method,
    address: hide(query.size === 0 ? address : `${address}?${query.toString()}`),
    sent: body === undefined ? null : shortened(body),
    status,
    answered: hide(shortText(answered)),
  });
}

/** Replaces the words of the secrets, e.g. the key of "Bearer <key>". */
function hiding(secrets: readonly string[]): (text: string) => string {
  const words = secrets
    .flatMap((secret) => [secret, ...secret.split(/[ :]/)])
    .filter((word) => word.length >= MIN_SECRET);
  return (text) => words.reduce((left, word) => left.replaceAll(word, "[key]"), text);
}

function formOf(form: Iterable<[string, unknown]>): object {
  return Object.fromEntries(
    [...form].map(([name, value]) => [name, typeof value === "string" ? value : "[file]"]),
  );
}

function shortened(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === "string" ? shortText(inner) : inner,
    ),
  ) as unknown;
}

function shortText(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}
