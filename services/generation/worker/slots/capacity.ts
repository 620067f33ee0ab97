/** Free slots and rate limits of upstreams, while one transaction assigns slots. */
import { addMs } from "#runtime/clock.ts";
import type { CredentialRow } from "../../store/credentials.ts";
import type { OccupiedSlots } from "../../store/slots.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";

/** A rate-limited credential may be this far ahead of its even rate, because workers assign slots every 250 ms. */
const MAX_AHEAD_MS = 250;

export type Capacity = {
  /** Takes a slot at the first of `upstreams` that has one. */
  take: (upstreams: readonly Upstream[]) => Upstream | undefined;
  /** Gives back a slot that was taken here and not assigned. */
  release: (upstream: Upstream) => void;
  /** When each rate-limited credential that a slot was taken from may be sent the next submit. */
  rateLimits: () => CredentialRow[];
};

export function capacityOf(
  occupied: readonly OccupiedSlots[],
  credentials: readonly CredentialRow[],
  now: Date,
): Capacity {
  const atCredential = new Map<string, number>();
  const atModel = new Map<string, number>();
  const submits = new Map<string, { count: number; intervalMs: number }>();
  const freeAt = new Map(credentials.map((row) => [row.credential, row.freeAt]));
  const addTasks = (at: Pick<Upstream, "credential" | "upstreamModel">, count: number) => {
    atCredential.set(at.credential, (atCredential.get(at.credential) ?? 0) + count);
    const model = modelKey(at);
    atModel.set(model, (atModel.get(model) ?? 0) + count);
  };
  const addSubmits = ({ credential, limits: { submitsPerSecond } }: Upstream, count: number) => {
    if (submitsPerSecond === undefined) return;
    const before = submits.get(credential)?.count ?? 0;
    submits.set(credential, { count: before + count, intervalMs: 1000 / submitsPerSecond });
  };
  /** When the credential's next submit may be sent, apart from those that are counted here. */
  const startMs = (credential: string) =>
    Math.max(freeAt.get(credential)?.getTime() ?? 0, now.getTime());

  const isRateLimited = ({ credential, limits: { submitsPerSecond } }: Upstream) => {
    if (submitsPerSecond === undefined) return startMs(credential) > now.getTime();
    const intervalMs = 1000 / submitsPerSecond;
    const count = (submits.get(credential)?.count ?? 0) + 1;
    const nextMs = startMs(credential) + count * intervalMs;
    return nextMs > now.getTime() + Math.max(intervalMs, MAX_AHEAD_MS);
  };
  const isFull = (upstream: Upstream) => {
    const { credentialConcurrency = Infinity, modelConcurrency = Infinity } = upstream.limits;
    return (
      (atCredential.get(upstream.credential) ?? 0) >= credentialConcurrency ||
      (atModel.get(modelKey(upstream)) ?? 0) >= modelConcurrency
    );
  };

  for (const { credential, upstreamModel, count } of occupied) {
    addTasks({ credential, upstreamModel }, count);
  }
  return {
    take: (upstreams) => {
      const upstream = upstreams.find((one) => !isFull(one) && !isRateLimited(one));
      if (!upstream) return undefined;
      addTasks(upstream, 1);
      addSubmits(upstream, 1);
      return upstream;
    },
    release: (upstream) => {
      addTasks(upstream, -1);
      addSubmits(upstream, -1);
    },
    rateLimits: () =>
      [...submits].flatMap(([credential, { count, intervalMs }]) =>
        count > 0
          ? [{ credential, freeAt: addMs(new Date(startMs(credential)), count * intervalMs) }]
          : [],
      ),
  };
}

function modelKey(at: Pick<Upstream, "credential" | "upstreamModel">): string {
  return `${at.credential} ${at.upstreamModel}`;
}
