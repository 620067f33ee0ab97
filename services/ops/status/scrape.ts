/** Asks every replica of every service for its metrics, in Prometheus' text format. */
import { addressesOf, pinned, type Address } from "#runtime/rpc/client/replicas.ts";
import type { RpcTls } from "#runtime/rpc/tls.ts";
import type { PeerUrls, ServiceName } from "#runtime/service/service.ts";

export type Labels = Readonly<Record<string, string>>;
export type Sample = { name: string; labels: Labels; value: number };

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /\b(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of an answer of /metrics. */
export function samplesOf(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const own = [...labels.matchAll(LABEL)].map(([, key, content]) => [key, content] as const);
    return [{ name, labels: Object.fromEntries(own), value: Number(value) }];
  });
}

/** A replica; without samples it did not answer. */
export type Replica = { service: ServiceName; address: string; samples: Sample[] | undefined };

const TIMEOUT_MS = 3_000;

/** All addresses that the names of the URLs stand for, each asked on its own. Never rejects. */
export async function scrapeAll(
  urls: Readonly<Partial<Record<ServiceName, PeerUrls>>>,
  tls: RpcTls | undefined,
): Promise<Replica[]> {
  const asked = Object.entries(urls).flatMap(([name, list]) =>
    list.map((url) => scrapeUrl(name as ServiceName, url, tls)),
  );
  return (await Promise.all(asked)).flat();
}

async function scrapeUrl(
  service: ServiceName,
  url: string,
  tls: RpcTls | undefined,
): Promise<Replica[]> {
  const found = await addressesOf(url).catch(() => []);
  if (found.length === 0) return [{ service, address: url, samples: undefined }];
  return Promise.all(
    found.map(async (at) => ({
      service,
      address: `${at.ip}:${new URL(url).port}`,
      samples: await scrapeOne(at, tls).catch(() => undefined),
    })),
  );
}

async function scrapeOne(at: Address, tls: RpcTls | undefined): Promise<Sample[]> {
  // It takes a tenth of a second to load, and few commands need it.
  const { Agent, request } = await import("undici");
  const dispatcher = new Agent({ connect: { ...tls, lookup: pinned(at) } });
  try {
    const answer = await request(`${at.url}/metrics`, {
      dispatcher,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
    return samplesOf(text);
  } finally {
    await dispatcher.destroy();
  }
}
