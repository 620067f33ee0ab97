/** Which faults happen when: drawn from a seed, so that a run can be repeated. */
import type { Random } from "./seed.ts";

const FAULT_KINDS = [
  "kill-replica",
  "pause-replica",
  "pause-service",
  "cut-link",
  "silence-link",
  "move-clock",
  "kill-nats",
  "pause-nats",
  "delete-nats-stores",
  "kill-postgres",
  "fill-storage",
  "rolling-restart",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export type Fault = {
  /** From the beginning of the fire. */
  atMs: number;
  kind: FaultKind;
  /** The name of a replica, a service or a server, or `from>to` of a link; empty where there is one only. */
  target: string;
  /** How long it lasts, or until what was killed starts again. */
  forMs: number;
};

export type Targets = {
  replicas: readonly { name: string; service: string }[];
  links: readonly { from: string; to: string }[];
  nats: readonly string[];
};

const GAP_MS = [1_000, 3_000] as const;
const PAUSE_MS = [6_000, 45_000] as const;
const RESTART_MS = [300, 2_000] as const;
const LINK_MS = [1_000, 8_000] as const;
const CLOCK_MS = [5_000, 20_000] as const;
const STORAGE_MS = 5_000;
const OUTAGE_MS = [2_000, 4_000] as const;
/** A killed process takes about this long until it is ready again. */
const START_MS = 6_000;
/** All replicas of a service one after the other. */
const ROLL_MS = 20_000;
/** Stands for all rolling restarts: there is one at a time, as an operator does it. */
const ROLLOUT = "rollout";
/** Kinds that are drawn more often than the others. */
const FREQUENT: readonly FaultKind[] = [
  "kill-replica",
  "kill-replica",
  "pause-replica",
  "pause-replica",
  "cut-link",
  "silence-link",
];

/** Every kind happens once before one is repeated. Of a service's replicas at most one at a time is at fault. */
export function planFaults(random: Random, targets: Targets, seconds: number): Fault[] {
  const endMs = seconds * 1_000;
  const faults: Fault[] = [];
  /** Until when each service or server is at fault. */
  const busyUntil = new Map<string, number>();
  const isBusy = (atMs: number) => (part: string) => (busyUntil.get(part) ?? 0) > atMs;
  let bag = random.shuffle(FAULT_KINDS);
  for (let atMs = 1_000; atMs < endMs; atMs += random.integer(...GAP_MS)) {
    if (bag.length === 0) bag = random.shuffle([...FAULT_KINDS, ...FREQUENT]);
    const drawn = drawFree(random, bag, targets, isBusy(atMs));
    if (!drawn) continue;
    const { parts, busyMs, ...fault } = drawn;
    for (const part of parts) busyUntil.set(part, atMs + busyMs);
    faults.push({ atMs, ...fault, forMs: Math.min(fault.forMs, endMs - atMs) });
  }
  return faults;
}

/** Takes the first kind of the bag that finds parts which are not at fault. */
function drawFree(
  random: Random,
  bag: FaultKind[],
  targets: Targets,
  isBusy: (part: string) => boolean,
): Drawn | undefined {
  for (const [index, kind] of bag.entries()) {
    const drawn = draw(random, kind, targets);
    if (drawn.parts.some(isBusy)) continue;
    bag.splice(index, 1);
    return drawn;
  }
  return undefined;
}

type Drawn = Omit<Fault, "atMs"> & {
  /** What must not be at fault already, and how long it is from now on. */
  parts: string[];
  busyMs: number;
};

function draw(random: Random, kind: FaultKind, targets: Targets): Drawn {
  const { name, service } = random.pick(targets.replicas);
  const server = random.pick(targets.nats);
  const link = random.pick(targets.links);
  const restartMs = random.integer(...RESTART_MS);
  const pauseMs = random.integer(...PAUSE_MS);
  const linkMs = random.integer(...LINK_MS);
  const linked = [link.from, link.to].map((end) =>
    end.replace(/-\d$/, "").replace("pgbouncer", "postgres"),
  );
  const linkTarget = `${link.from}>${link.to}`;
  /** After `forMs`, the parts need `afterMs` more. */
  const drawn: Record<
    FaultKind,
    [target: string, parts: string[], forMs: number, afterMs: number]
  > = {
    "kill-replica": [name, [service], restartMs, START_MS],
    "pause-replica": [name, [service], pauseMs, START_MS],
    "pause-service": [service, [service], random.integer(...OUTAGE_MS), START_MS],
    "move-clock": [name, [service], random.integer(...CLOCK_MS), 0],
    "cut-link": [linkTarget, linked, linkMs, 0],
    "silence-link": [linkTarget, linked, linkMs, 0],
    "kill-nats": [server, ["nats"], restartMs, START_MS],
    "pause-nats": [server, ["nats"], pauseMs, 0],
    "delete-nats-stores": ["", ["nats"], restartMs, START_MS],
    "kill-postgres": ["", ["postgres"], restartMs, START_MS],
    "fill-storage": ["", ["s3"], STORAGE_MS, 0],
    "rolling-restart": [service, [service, ROLLOUT], ROLL_MS, 0],
  };
  const [target, parts, forMs, afterMs] = drawn[kind];
  return { kind, target, parts, forMs, busyMs: forMs + afterMs };
}
