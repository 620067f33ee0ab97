/** Publishes and hears events over NATS JetStream, which may be down or wiped at any time. */
import { fromBinary, toBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { headers, nanos, type MsgHdrs, type NatsConnection, type StreamConfig } from "nats";
import type { Registry } from "prom-client";
import { ENDED } from "../abort.ts";
import { type Clock, within } from "../clock.ts";
import type { NatsConfig } from "./config.ts";
import { keepConnection, repeatUntil } from "./connection.ts";
import { STREAM, type EventType } from "./events.ts";
import type { Log } from "../log.ts";
import { metricsIn } from "../metrics/metrics.ts";
import { setContext } from "../rpc/context.ts";

export type Bus = ReturnType<typeof connectBus>;

/** How often the stream is looked at although nothing failed. */
const CHECK_STREAM_EVERY_MS = 10_000;
/** How long a stop waits for events that were published. */
const FLUSH_MS = 1_000;

/** Returns at once and connects in the background: no caller waits for NATS to be up. */
export function connectBus(
  config: NatsConfig,
  deps: { clock: Clock; log: Log; metrics: Registry },
) {
  const { clock, log } = deps;
  const stop = new AbortController();
  const loops: Promise<void>[] = [];
  const connection = keepConnection(config, deps);

  let isAvailable: boolean | undefined;
  const metrics = busMetrics(deps.metrics, () => ({
    isConnected: connection.up !== undefined,
    isAvailable,
  }));
  const makeStream = streamMaker(config.replicas, () => metrics.made.inc());

  /** Runs `body` again and again, each time on a connection that is up. */
  const repeat = (name: string, body: (nats: NatsConnection) => Promise<unknown>) => {
    const run = async () => {
      const nats = await connection.connected();
      if (nats) await body(nats);
    };
    const failed = (err: unknown) => log.warn({ err, loop: name }, "event stream failed, retrying");
    loops.push(repeatUntil(stop.signal, clock, run, failed));
  };
  repeat("stream", async (nats) => {
    let isMade = false;
    try {
      await makeStream(nats);
      isMade = true;
    } finally {
      isAvailable = isMade;
    }
    await clock.sleep(CHECK_STREAM_EVERY_MS, stop.signal);
  });

  return {
    /** Whether events arrive now, as far as this process can know. */
    get isConnected() {
      return connection.up !== undefined;
    },
    /** Sends without waiting for a reply, and drops the event while not connected: workers find the rows without it. */
    publish<T extends DescMessage>(event: EventType<T>, message: MessageShape<T>): void {
      const outcome = connection.up ? "published" : "dropped";
      metrics.published.inc({ subject: event.subject, outcome });
      connection.up?.publish(event.subject, toBinary(event.schema, message), {
        headers: contextHeaders(),
      });
    },
    /** Calls `handler` for every event while connected; events in between are missed, so use it for signals only. */
    listen<T extends DescMessage>(
      event: EventType<T>,
      handler: (message: MessageShape<T>) => void,
    ): void {
      repeat(`listen ${event.subject}`, async (nats) => {
        // Ends when the connection is closed; throws when the server refuses the subscription.
        for await (const { data } of nats.subscribe(event.subject)) {
          handler(fromBinary(event.schema, data));
        }
      });
    },
    async [Symbol.asyncDispose]() {
      stop.abort(ENDED);
      const flushed = connection.up?.flush().catch(() => undefined);
      if (flushed) await within(clock, FLUSH_MS, flushed);
      await connection[Symbol.asyncDispose]();
      await Promise.all(loops);
    },
  };
}

/** What the event's work belongs to, for who reads the stream. */
function contextHeaders(): MsgHdrs {
  const made = headers();
  setContext(made);
  return made;
}

const MANAGER = { timeout: 2_000, checkAPI: false };
const NO_LEADER = "the stream has no leader: most of its NATS servers do not answer";

/** Makes a missing stream, then calls `onMade`, and applies a changed number of replicas. */
export function streamMaker(
  replicas: number,
  onMade?: () => void,
): (nats: NatsConnection) => Promise<void> {
  const wanted: Partial<StreamConfig> & { name: string } = {
    name: STREAM.name,
    subjects: STREAM.subjects,
    max_age: nanos(STREAM.maxAgeMs),
    num_replicas: replicas,
  };
  // Over calls: servers may make it and answer too late, and the next call finds it.
  let wasMissing = false;
  return async (nats) => {
    const { streams } = await nats.jetstreamManager(MANAGER);
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

export type BusState = {
  isConnected: boolean;
  /** Whether the stream answered when it was looked at last; undefined before that. */
  isAvailable: boolean | undefined;
};

/** Whether the stream is there, and what is published. */
export function busMetrics(registry: Registry, stateNow: () => BusState) {
  const { counter, gauge } = metricsIn(registry);
  const connected = "1 while this process is connected to the event stream";
  gauge("media_event_stream_connected", connected, [], (one) => {
    one.set(stateNow().isConnected ? 1 : 0);
  });
  gauge(
    "media_event_stream_available",
    "1 while the stream answers, 0 while NATS has too few servers; absent without a connection",
    [],
    (one) => {
      const { isConnected, isAvailable } = stateNow();
      if (!isConnected || isAvailable === undefined) one.remove();
      else one.set(isAvailable ? 1 : 0);
    },
  );
  const made = counter(
    "media_event_stream_made_total",
    "How often this process found the stream missing and made it",
  );
  const published = counter(
    "media_events_published_total",
    "Published events; dropped ones cost waiting time only",
    ["subject", "outcome"],
  );
  return { made, published };
}
