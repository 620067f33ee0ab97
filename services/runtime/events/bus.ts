/** Publishes and consumes events over NATS JetStream, which may be down or wiped at any time. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { AckPolicy, DeliverPolicy, nanos } from "nats";
import type { JsMsg, NatsConnection } from "nats";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { connectWithRetries, ensureStream, RETRY_MS } from "./connection.ts";
import type { BusConfig } from "./connection.ts";
import { STREAM } from "./events.ts";
import type { EventType } from "./events.ts";

/** What a consumer did with a message: `retry` has it redelivered after `afterMs`, `drop` discards it. */
export type Outcome =
  | { kind: "done" }
  | { kind: "retry"; afterMs: number }
  | { kind: "drop"; reason: string };

export type Bus = AsyncDisposable & {
  /** Publishes at best effort. A failure is only logged, because workers find the rows without the event. */
  publish<T extends DescMessage>(event: EventType<T>, message: MessageShape<T>): void;
  /** Calls `handler` for every event while connected; events in between are missed, so use it for signals only. */
  listen<T extends DescMessage>(
    event: EventType<T>,
    handler: (message: MessageShape<T>) => void,
  ): void;
  /** Handles every stored event at least once; all processes that name the same consumer share them. */
  consume<T extends DescMessage>(
    consumer: string,
    event: EventType<T>,
    handler: (message: MessageShape<T>) => Promise<Outcome>,
  ): void;
};

const PUBLISH_TIMEOUT_MS = 2_000;
const ACK_WAIT_MS = 30_000;
const MAX_UNACKNOWLEDGED = 1_000;
const FETCH_BATCH = 64;
const FETCH_TIMEOUT_MS = 5_000;
const HANDLER_RETRY_MS = 5_000;

/** Returns at once and connects in the background: no caller waits for NATS to be up. */
export function connectBus(config: BusConfig, deps: { clock: Clock; log: Log }): Bus {
  const { clock, log } = deps;
  const stop = new AbortController();
  const loops: Promise<void>[] = [];
  const connection = connectWithRetries(config, clock, stop.signal, log);

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
          log.warn({ err: error, consumer: name }, "event stream unavailable, retrying");
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
          "event not published; its row will be found without it",
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
        await manager.consumers.add(STREAM.name, {
          durable_name: name,
          filter_subject: event.subject,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          ack_wait: nanos(ACK_WAIT_MS),
          max_ack_pending: MAX_UNACKNOWLEDGED,
        });
        const consumer = await nats.jetstream().consumers.get(STREAM.name, name);
        while (!stop.signal.aborted) {
          const messages = await consumer.fetch({
            max_messages: FETCH_BATCH,
            expires: FETCH_TIMEOUT_MS,
          });
          const end = () => messages.stop();
          stop.signal.addEventListener("abort", end, { once: true });
          for await (const message of messages) {
            await handleMessage(message, event.schema, handler, log);
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

async function handleMessage<T extends DescMessage>(
  message: JsMsg,
  schema: T,
  handler: (event: MessageShape<T>) => Promise<Outcome>,
  log: Log,
): Promise<void> {
  const outcome = await outcomeOf(message, schema, handler, log);
  if (outcome.kind === "retry") message.nak(outcome.afterMs);
  else message.ack();
  if (outcome.kind === "drop") {
    log.warn({ subject: message.subject, reason: outcome.reason }, "event dropped");
  }
}

async function outcomeOf<T extends DescMessage>(
  message: JsMsg,
  schema: T,
  handler: (event: MessageShape<T>) => Promise<Outcome>,
  log: Log,
): Promise<Outcome> {
  let event: MessageShape<T>;
  try {
    event = fromBinary(schema, message.data);
  } catch {
    return { kind: "drop", reason: "not a message of the event's type" };
  }
  try {
    return await handler(event);
  } catch (error) {
    log.error({ err: error, subject: message.subject }, "event handler failed, retrying");
    return { kind: "retry", afterMs: HANDLER_RETRY_MS };
  }
}
