/** The event stream: typed events over NATS JetStream, which may be down or wiped at any moment. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { AckPolicy, connect, DeliverPolicy, nanos } from "nats";
import type { JsMsg, NatsConnection } from "nats";
import {
  GenerationCreatedSchema,
  GenerationFinishedSchema,
} from "#gen/proto/media/events/v1/events_pb.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";

export type EventType<T extends DescMessage> = { subject: string; schema: T };

export const generationCreated = {
  subject: "generation.v1.created",
  schema: GenerationCreatedSchema,
} satisfies EventType<typeof GenerationCreatedSchema>;
export const generationFinished = {
  subject: "generation.v1.finished",
  schema: GenerationFinishedSchema,
} satisfies EventType<typeof GenerationFinishedSchema>;

/** What a consumer says of a message. */
export type Outcome =
  | { kind: "done" }
  | { kind: "retry"; afterMs: number }
  | { kind: "drop"; reason: string };

export type Bus = AsyncDisposable & {
  /** Rings, at best effort: a failure is logged and nothing else, because the rows are the truth. */
  publish<T extends DescMessage>(event: EventType<T>, message: MessageShape<T>): void;
  /** Hears every event while connected; for bells only. */
  listen<T extends DescMessage>(
    event: EventType<T>,
    handler: (message: MessageShape<T>) => void,
  ): void;
  /** Gets every stored event at least once, shared by all processes that name the same consumer. */
  consume<T extends DescMessage>(
    consumer: string,
    event: EventType<T>,
    handler: (message: MessageShape<T>) => Promise<Outcome>,
  ): void;
};

const STREAM = "GENERATION";
const STREAM_SUBJECTS = ["generation.v1.>"];
const KEEP_EVENTS_MS = 24 * 60 * 60 * 1000;
const PUBLISH_TIMEOUT_MS = 2_000;
const RETRY_MS = 500;
const BATCH = 64;

export type BusConfig = { url: string };

/** Connects in the background and for ever; nothing here waits for NATS to be up. */
export function connectBus(config: BusConfig, deps: { clock: Clock; log: Log }): Bus {
  const { clock, log } = deps;
  const stop = new AbortController();
  const loops: Promise<void>[] = [];
  const connection = connectForEver(config, clock, stop.signal, log);

  const ready = async (): Promise<NatsConnection | undefined> => {
    const nats = await connection;
    if (nats) await ensureStream(nats);
    return nats;
  };

  const publish = async (subject: string, payload: Uint8Array): Promise<void> => {
    const nats = await connection;
    if (!nats) return;
    const send = () => nats.jetstream().publish(subject, payload, { timeout: PUBLISH_TIMEOUT_MS });
    try {
      await send();
    } catch {
      await ensureStream(nats);
      await send();
    }
  };

  const repeat = (name: string, body: () => Promise<void>) => {
    const loop = async () => {
      while (!stop.signal.aborted) {
        try {
          await body();
        } catch (error) {
          if (stop.signal.aborted) return;
          log.warn({ err: error, consumer: name }, "event stream is not to be had; trying again");
          await clock.sleep(RETRY_MS, stop.signal);
        }
      }
    };
    loops.push(loop());
  };

  return {
    publish(event, message) {
      if (stop.signal.aborted) return;
      publish(event.subject, toBinary(event.schema, message)).catch((error: unknown) => {
        log.warn(
          { err: error, subject: event.subject },
          "event not published; the sweep makes up for it",
        );
      });
    },
    listen(event, handler) {
      repeat(`listen ${event.subject}`, async () => {
        const nats = await connection;
        if (!nats) return;
        const subscription = nats.subscribe(event.subject);
        const end = () => subscription.unsubscribe();
        stop.signal.addEventListener("abort", end, { once: true });
        for await (const message of subscription) handler(fromBinary(event.schema, message.data));
      });
    },
    consume(name, event, handler) {
      repeat(name, async () => {
        const nats = await ready();
        if (!nats) return;
        const manager = await nats.jetstreamManager();
        await manager.consumers.add(STREAM, {
          durable_name: name,
          filter_subject: event.subject,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          ack_wait: nanos(30_000),
          max_ack_pending: 1_000,
        });
        const consumer = await nats.jetstream().consumers.get(STREAM, name);
        while (!stop.signal.aborted) {
          const messages = await consumer.fetch({ max_messages: BATCH, expires: 5_000 });
          const end = () => messages.stop();
          stop.signal.addEventListener("abort", end, { once: true });
          for await (const message of messages) {
            await settle(message, event.schema, handler, log);
          }
          stop.signal.removeEventListener("abort", end);
        }
      });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      const nats = await connection;
      await nats?.close();
      await Promise.all(loops);
    },
  };
}

async function settle<T extends DescMessage>(
  message: JsMsg,
  schema: T,
  handler: (event: MessageShape<T>) => Promise<Outcome>,
  log: Log,
): Promise<void> {
  const outcome = await decide(message, schema, handler, log);
  if (outcome.kind === "retry") message.nak(outcome.afterMs);
  else message.ack();
  if (outcome.kind === "drop") {
    log.warn({ subject: message.subject, reason: outcome.reason }, "event dropped");
  }
}

async function decide<T extends DescMessage>(
  message: JsMsg,
  schema: T,
  handler: (event: MessageShape<T>) => Promise<Outcome>,
  log: Log,
): Promise<Outcome> {
  let event: MessageShape<T>;
  try {
    event = fromBinary(schema, message.data);
  } catch {
    return { kind: "drop", reason: "not a message of its type" };
  }
  try {
    return await handler(event);
  } catch (error) {
    log.error({ err: error, subject: message.subject }, "event could not be handled");
    return { kind: "retry", afterMs: 5_000 };
  }
}

async function connectForEver(
  config: BusConfig,
  clock: Clock,
  stop: AbortSignal,
  log: Log,
): Promise<NatsConnection | undefined> {
  while (!stop.aborted) {
    try {
      const { username, password, host } = new URL(config.url);
      return await connect({
        servers: host,
        ...(username ? { user: username, pass: password } : {}),
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        timeout: 2_000,
      });
    } catch (error) {
      log.warn({ err: error }, "event stream is not to be had; trying again");
      await clock.sleep(RETRY_MS, stop);
    }
  }
  return undefined;
}

async function ensureStream(nats: NatsConnection): Promise<void> {
  const manager = await nats.jetstreamManager();
  try {
    await manager.streams.info(STREAM);
  } catch {
    await manager.streams.add({
      name: STREAM,
      subjects: STREAM_SUBJECTS,
      max_age: nanos(KEEP_EVENTS_MS),
    });
  }
}
