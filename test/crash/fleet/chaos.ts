/** Carries out a plan of faults on a fleet, and undoes what is left of them at the end. */
import { rm } from "node:fs/promises";
import { systemClock } from "#runtime/clock.ts";
import type { Replica } from "../../support/compose/replica.ts";
import type { Fault } from "./chaos-plan.ts";
import type { FireFleet } from "./fire-fleet.ts";

/** A fault that was carried out, in Unix milliseconds. */
export type Happened = Fault & { from: number; until: number };

/** A process that ended without being killed or stopped. */
type Crash = { name: string; lastWords: string };

const RESTART_AFTER_MS = 500;
/** After a pause of a whole service, between its first replica and the others. */
const LATER_MS = 4_000;
const WATCH_EVERY_MS = 250;
/** In a rolling restart, between a replica that is ready and the end of the next: as in docs/operations.md. */
const FOUND_AGAIN_MS = 2_000;
const LAST_WORDS = 600;

export type Chaos = { happened: Happened[]; crashes: Crash[] };

/** Resolves when all faults are over and everything runs again. */
export async function setOnFire(
  fleet: FireFleet,
  faults: readonly Fault[],
  say: (line: string) => void,
): Promise<Chaos> {
  const beganAt = Date.now();
  const stopWatching = new AbortController();
  /** Those that a fault has ended and will start again. */
  const handled = new Set<string>();
  const crashes: Crash[] = [];
  const watching = watch(fleet, handled, crashes, stopWatching.signal);
  const happened = await Promise.all(
    faults.map(async (fault): Promise<Happened[]> => {
      await systemClock.sleep(fault.atMs);
      const from = Date.now();
      const { kind, target, forMs } = fault;
      const at = `${seconds(from - beganAt)} ${kind} ${target}`;
      const absent = replicasOf(fleet, target).find((replica) => !replica.isReady());
      if (absent) {
        say(`${at}: not now, ${absent.name} is not ready yet`);
        return [];
      }
      say(`${at} for ${seconds(forMs)}`);
      await carryOut(fleet, fault, handled);
      return [{ ...fault, from, until: Date.now() }];
    }),
  );
  stopWatching.abort();
  await watching;
  return { happened: happened.flat(), crashes };
}

/** All replicas of the service that a fault is for: a slow machine may need longer than planned to start one again. */
function replicasOf({ fleet }: FireFleet, target: string): Replica[] {
  return fleet.of(fleet.replicas.get(target)?.service ?? target);
}

async function carryOut(
  fire: FireFleet,
  { kind, target, forMs }: Fault,
  handled: Set<string>,
): Promise<void> {
  const { fleet, links } = fire;
  const wait = () => systemClock.sleep(forMs);
  switch (kind) {
    case "kill-replica":
    case "kill-nats":
      return restart(partOf(fire, target), handled, async (part) => {
        await part.kill();
        await wait();
      });
    case "pause-replica":
    case "pause-nats": {
      const part = partOf(fire, target);
      part.pause();
      await wait();
      return part.continue();
    }
    case "pause-service": {
      // The first works again while what the second had received still waits.
      const [first, ...others] = fleet.of(target);
      for (const replica of fleet.of(target)) replica.pause();
      await wait();
      first?.continue();
      await systemClock.sleep(LATER_MS);
      for (const replica of others) replica.continue();
      return undefined;
    }
    case "move-clock": {
      const part = partOf(fire, target);
      const moved = part.pid();
      process.kill(moved, "SIGUSR2");
      await wait();
      // A restart that took longer than planned may have replaced it; the new process has the right time.
      if (part.state() !== "ended" && part.pid() === moved) process.kill(moved, "SIGUSR2");
      return undefined;
    }
    case "cut-link":
    case "silence-link": {
      const link = links.all().find(({ from, to }) => `${from}>${to}` === target);
      await (kind === "cut-link" ? link?.cut() : link?.silence(forMs % 2 === 0));
      await wait();
      return link?.heal();
    }
    case "delete-nats-stores": {
      const servers = fleet.natsServers();
      const restarts = servers.map((server) =>
        restart(server, handled, async () => {
          await server.kill();
          await wait();
          await rm(fleet.storeOf(server), { recursive: true, force: true });
        }),
      );
      return void (await Promise.all(restarts));
    }
    case "kill-postgres":
      await fleet.postgres.kill();
      await wait();
      return fleet.postgres.start();
    case "fill-storage":
      fleet.s3.setFull(true);
      await wait();
      return fleet.s3.setFull(false);
    case "rolling-restart":
      for (const replica of fleet.of(target)) {
        while (!fleet.of(target).every((one) => one.isReady())) {
          await systemClock.sleep(WATCH_EVERY_MS);
        }
        await restart(replica, handled, async () => void (await replica.stop()));
        await systemClock.sleep(FOUND_AGAIN_MS);
      }
  }
}

/**
 * A process may fail to start while what it needs is down, or be ended by another fault while it starts; what
 * supervises it starts it again.
 */
async function restart(
  part: Replica,
  handled: Set<string>,
  end: (part: Replica) => Promise<void>,
): Promise<void> {
  handled.add(part.name);
  await end(part);
  while (part.state() === "ended") {
    await part.start().catch(() => systemClock.sleep(RESTART_AFTER_MS));
  }
  handled.delete(part.name);
}

/** Starts again what ends without having been killed or stopped, and records it. */
async function watch(
  { fleet }: FireFleet,
  handled: Set<string>,
  crashes: Crash[],
  stop: AbortSignal,
): Promise<void> {
  const restarting: Promise<void>[] = [];
  while (!stop.aborted) {
    for (const part of fleet.replicas.values()) {
      if (part.state() !== "ended" || handled.has(part.name)) continue;
      crashes.push({ name: part.name, lastWords: part.logs().slice(-LAST_WORDS) });
      restarting.push(restart(part, handled, async () => {}));
    }
    await systemClock.sleep(WATCH_EVERY_MS, stop);
  }
  await Promise.all(restarting);
}

function partOf({ fleet }: FireFleet, name: string): Replica {
  const part = fleet.replicas.get(name);
  if (!part) throw new Error(`there is no ${name}`);
  return part;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
