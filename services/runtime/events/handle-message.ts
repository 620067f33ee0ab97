/** Has a consumer handle one message of the stream, and tells the stream what became of it. */
import { fromBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import type { JsMsg } from "nats";
import type { Log } from "../log.ts";
import { contextFrom } from "../rpc/context.ts";
import { inContext } from "../work-context.ts";

/** What a consumer did with a message: `retry` has it redelivered after `afterMs`, `drop` discards it. */
export type Outcome =
  | { kind: "done" }
  | { kind: "retry"; afterMs: number }
  | { kind: "drop"; reason: string };

export type Handler<T> = (event: T) => Promise<Outcome>;

const HANDLER_RETRY_MS = 5_000;
/** The stream delivers nothing new while too many messages wait to be delivered again. */
const MAX_DELIVERIES = 5;

/**
 * Never rejects: a handler that fails has the message redelivered after 5 s. One that has failed five times is dropped;
 * workers find its row without it.
 */
export async function handleMessage<T extends DescMessage>(
  message: JsMsg,
  schema: T,
  handler: Handler<MessageShape<T>>,
  log: Log,
): Promise<Outcome> {
  const outcome = withinLimit(message, await outcomeOf(message, schema, handler, log));
  if (outcome.kind === "retry") message.nak(outcome.afterMs);
  else message.ack();
  if (outcome.kind === "drop") {
    log.warn({ subject: message.subject, reason: outcome.reason }, "event dropped");
  }
  return outcome;
}

function withinLimit({ info }: JsMsg, outcome: Outcome): Outcome {
  const isLast = outcome.kind === "retry" && info.deliveryCount >= MAX_DELIVERIES;
  return isLast ? { kind: "drop", reason: "its handler has failed too often" } : outcome;
}

async function outcomeOf<T extends DescMessage>(
  message: JsMsg,
  schema: T,
  handler: Handler<MessageShape<T>>,
  log: Log,
): Promise<Outcome> {
  let event: MessageShape<T>;
  try {
    event = fromBinary(schema, message.data);
  } catch {
    return { kind: "drop", reason: "not a message of the event's type" };
  }
  try {
    return await inContext(
      contextFrom((name) => message.headers?.get(name)),
      () => handler(event),
    );
  } catch (error) {
    log.error({ err: error, subject: message.subject }, "event handler failed, retrying");
    return { kind: "retry", afterMs: HANDLER_RETRY_MS };
  }
}
