/** The stream on the servers: made when it is missing, corrected when it differs. */
import { nanos, type JetStreamManager, type NatsConnection, type StreamConfig } from "nats";
import { STREAM } from "./events.ts";

const REQUEST_TIMEOUT_MS = 2_000;
const NO_LEADER = "the stream has no leader: most of its NATS servers do not answer";

/** Resolves when the stream is there as it should be. */
export type EnsureStream = (nats: NatsConnection) => Promise<void>;

/**
 * JetStream may have been wiped; the number of replicas is a setting that may have changed. Calls `onMade` once the
 * stream that was missing is there.
 */
export function streamMaker(replicas: number, onMade?: () => void): EnsureStream {
  const wanted: Partial<StreamConfig> & { name: string } = {
    name: STREAM.name,
    subjects: STREAM.subjects,
    max_age: nanos(STREAM.maxAgeMs),
    num_replicas: replicas,
  };
  // Over calls: servers may make it and answer too late, and the next call finds it.
  let wasMissing = false;
  return async (nats) => {
    const { streams } = await managerOf(nats);
    const found = await streams.info(STREAM.name).catch(undefinedIfMissing);
    if (found === undefined) {
      wasMissing = true;
      await streams.add(wanted);
    } else {
      // One server that is left still tells what it knows.
      if (found.cluster && !found.cluster.leader) throw new Error(NO_LEADER);
      if (differs(found.config, wanted)) await streams.update(STREAM.name, wanted);
    }
    if (!wasMissing) return;
    wasMissing = false;
    onMade?.();
  };
}

/**
 * Calls for one connection share the call of `ensure` that is under way. Another connection has one of its own: that of
 * a connection that died may not have ended yet.
 */
export function sharedPerConnection(ensure: EnsureStream): EnsureStream {
  const running = new WeakMap<NatsConnection, Promise<void>>();
  return (nats) => {
    const shared = running.get(nats) ?? ensure(nats).finally(() => running.delete(nats));
    running.set(nats, shared);
    return shared;
  };
}

function managerOf(nats: NatsConnection): Promise<JetStreamManager> {
  return nats.jetstreamManager({ timeout: REQUEST_TIMEOUT_MS, checkAPI: false });
}

function undefinedIfMissing(error: Error): undefined {
  if (error.message === "stream not found") return undefined;
  throw error;
}

function differs(found: object, wanted: object): boolean {
  const values = found as Record<string, unknown>;
  return Object.entries(wanted).some(
    ([name, value]) => JSON.stringify(values[name]) !== JSON.stringify(value),
  );
}
