/** The addresses behind a peer's URLs: names are looked up again and again, because replicas come and go. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";

/** One replica, or a load balancer before several. */
export type Address = { url: string; ip: string; family: number };

const LOOK_UP_EVERY_MS = 2_000;

export type AddressWatch = Disposable & {
  /** Looks the names up now. Never rejects: a name that cannot be resolved keeps its last addresses. */
  refresh: () => Promise<void>;
};

/** Calls `onAddresses` with all addresses after every look-up. */
export function watchAddresses(
  urls: readonly string[],
  onAddresses: (addresses: readonly Address[]) => void,
): AddressWatch {
  const known = new Map<string, Address[]>();
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  const lookUp = async () => {
    await Promise.all(
      urls.map(async (url) => {
        const addresses = await addressesOf(url).catch(() => undefined);
        if (addresses) known.set(url, addresses);
      }),
    );
    running = undefined;
    if (!stop.signal.aborted) onAddresses(urls.flatMap((url) => known.get(url) ?? []));
  };
  const refresh = () => (running ??= lookUp());
  const hasNames = urls.some((url) => isIP(hostOf(url)) === 0);
  const timer = hasNames ? setInterval(() => void refresh(), LOOK_UP_EVERY_MS).unref() : undefined;
  return {
    refresh,
    [Symbol.dispose]: () => {
      stop.abort();
      clearInterval(timer);
    },
  };
}

async function addressesOf(url: string): Promise<Address[]> {
  const found = await lookup(hostOf(url), { all: true });
  return found.map(({ address: ip, family }) => ({ url, ip, family }));
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}
