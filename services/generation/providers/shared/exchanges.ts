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

const MAX_TEXT = 20_000;
const MIN_SECRET = 8;
const recorder = new AsyncLocalStorage<Exchange[]>();

/** Runs the call; `exchanges` has what was answered to it and to the calls that it made, also if it throws. */
export const recordExchanges = <T>(exchanges: Exchange[], run: () => Promise<T>): Promise<T> =>
  recorder.run(exchanges, run);

/** Does nothing unless `recordExchanges` runs. `secrets` are headers whose values must not appear. */
export function noteExchange(
  secrets: Readonly<Record<string, string>>,
  exchange: () => Exchange,
): void {
  const exchanges = recorder.getStore();
  if (!exchanges) return;
  // The key of "Bearer <key>".
  const words = Object.values(secrets).flatMap((secret) => [secret, ...secret.split(/[ :]/)]);
  const hidden = words.filter((word) => word.length >= MIN_SECRET);
  const shown = (_name: string, value: unknown) =>
    typeof value === "string"
      ? hidden.reduce((text, word) => text.replaceAll(word, "[key]"), shortened(value))
      : value;
  exchanges.push(JSON.parse(JSON.stringify(exchange(), shown)) as Exchange);
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… (${text.length} characters)`;
}
