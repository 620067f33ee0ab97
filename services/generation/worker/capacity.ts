/** How much room there is at the upstreams, by the limits of the routes. */
import { addMs } from "#runtime/clock.ts";
import type { Upstream } from "../upstreams/index.ts";
import type { CredentialRow } from "../store/credentials.ts";
import type { OccupiedSlots } from "../store/slots.ts";

/** A paced credential may have this much ahead of its even pace, because workers look only every so often. */
const AHEAD_MS = 250;

export type Capacity = {
  /** Takes a place at the first of `routes` that has one. */
  take: (routes: readonly Upstream[]) => Upstream | undefined;
  release: (route: Upstream) => void;
  /** From when on each paced credential that was taken from is free again. */
  rateLimits: () => CredentialRow[];
};

export function capacityOf(
  placed: readonly OccupiedSlots[],
  credentials: readonly CredentialRow[],
  now: Date,
): Capacity {
  const atCredential = new Map<string, number>();
  const atModel = new Map<string, number>();
  const sent = new Map<string, { count: number; intervalMs: number }>();
  const freeAt = new Map(credentials.map((one) => [one.credential, one.free_at]));
  const add = (route: Pick<Upstream, "credential" | "upstreamModel">, count: number) => {
    atCredential.set(route.credential, (atCredential.get(route.credential) ?? 0) + count);
    const model = modelKey(route);
    atModel.set(model, (atModel.get(model) ?? 0) + count);
  };
  const send = (route: Upstream, count: number) => {
    const { submitsPerSecond } = route.limits;
    if (submitsPerSecond === undefined) return;
    const before = sent.get(route.credential)?.count ?? 0;
    sent.set(route.credential, { count: before + count, intervalMs: 1000 / submitsPerSecond });
  };
  const startOf = (credential: string) =>
    Math.max(freeAt.get(credential)?.getTime() ?? 0, now.getTime());

  const isPaced = (route: Upstream) => {
    const { submitsPerSecond } = route.limits;
    const start = startOf(route.credential);
    if (submitsPerSecond === undefined) return start > now.getTime();
    const intervalMs = 1000 / submitsPerSecond;
    const next = start + ((sent.get(route.credential)?.count ?? 0) + 1) * intervalMs;
    return next > now.getTime() + Math.max(intervalMs, AHEAD_MS);
  };
  const isFull = (route: Upstream) => {
    const { credentialConcurrency = Infinity, modelConcurrency = Infinity } = route.limits;
    return (
      (atCredential.get(route.credential) ?? 0) >= credentialConcurrency ||
      (atModel.get(modelKey(route)) ?? 0) >= modelConcurrency
    );
  };

  for (const one of placed) {
    add({ credential: one.credential, upstreamModel: one.upstream_model }, one.placed);
  }
  return {
    take: (routes) => {
      const route = routes.find((one) => !isFull(one) && !isPaced(one));
      if (!route) return undefined;
      add(route, 1);
      send(route, 1);
      return route;
    },
    release: (route) => {
      add(route, -1);
      send(route, -1);
    },
    rateLimits: () =>
      [...sent].flatMap(([credential, { count, intervalMs }]) =>
        count > 0
          ? [{ credential, free_at: addMs(new Date(startOf(credential)), count * intervalMs) }]
          : [],
      ),
  };
}

function modelKey(route: Pick<Upstream, "credential" | "upstreamModel">): string {
  return `${route.credential} ${route.upstreamModel}`;
}
