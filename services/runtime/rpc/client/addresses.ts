/** The addresses behind a peer's URLs: names are looked up again and again, because replicas come and go. */
import { lookup } from "node:dns/promises";
import { setTimeout as timeout } from "node:timers/promises";

/** One replica, or a load balancer before several. */
export type Address = { url: string; ip: string; family: number };

const LOOK_UP_EVERY_MS = 2_000;

/**
 * Calls `onAddresses` with all addresses after every look-up, until `stop`. Resolves after the first. A name that cannot
 * be resolved keeps its last addresses.
 */
export async function watchAddresses(
  urls: readonly string[],
  stop: AbortSignal,
  onAddresses: (addresses: readonly Address[]) => void,
): Promise<void> {
  const known = new Map<string, Address[]>();
  const lookUp = async () => {
    await Promise.all(
      urls.map(async (url) => {
        const addresses = await addressesOf(url).catch(() => undefined);
        if (addresses) known.set(url, addresses);
      }),
    );
    if (!stop.aborted) onAddresses([...known.values()].flat());
  };
  const goOn = async () => {
    while (!stop.aborted) {
      await pause(LOOK_UP_EVERY_MS, stop);
      await lookUp();
    }
  };
  await lookUp();
  void goOn();
}

async function addressesOf(url: string): Promise<Address[]> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const found = await lookup(host, { all: true });
  return found.map(({ address: ip, family }) => ({ url, ip, family }));
}

/** Resolves after `ms` or when `signal` aborts. Does not keep the process alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await timeout(ms, undefined, { ref: false, signal }).catch(() => undefined);
}
