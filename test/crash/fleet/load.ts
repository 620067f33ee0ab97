/** Customers under fire: they create videos and images with idempotency keys, repeat them, and stop some. */
import { systemClock } from "#runtime/clock.ts";
import { ApiError, ConnectionError, type Client } from "../../../clients/typescript/index.ts";
import type { Session } from "../../../services/ops/session/session.ts";
import type { Order, PlannedOrder } from "./orders.ts";
import { ABANDONED } from "./request-log.ts";

const RETRY_MS = 500;
const IMAGE_TIMEOUT_MS = 150_000;
/** A customer who does not care waits no longer. */
const ABANDON_AFTER_MS = 1_000;

/** Resolves when every create was answered. */
export async function placeOrders(
  planned: readonly PlannedOrder[],
  operator: Session,
): Promise<void> {
  await Promise.all(
    planned.map(async ({ atMs, ...rest }) => {
      await systemClock.sleep(atMs);
      await run(rest, operator);
    }),
  );
}

async function run(
  { order, client, repeats, stopAfterMs }: Omit<PlannedOrder, "atMs">,
  operator: Session,
): Promise<void> {
  const once = () => create(order, client);
  // A client whose answer was late repeats its request while the first one is still being worked on.
  await Promise.all(repeats ? [once(), systemClock.sleep(100).then(once)] : [once()]);
  const [id] = order.ids;
  if (order.stoppedBy === undefined || id === undefined) return;
  await systemClock.sleep(stopAfterMs);
  // It may be too late, or fail: then the order ends as if nobody had asked.
  const stopping =
    order.stoppedBy === "customer"
      ? client.videos.cancel(id)
      : operator.generation.failTask({ generationId: id });
  await stopping.catch(() => undefined);
}

/** Repeats the same request until it is answered, unless the customer does not care. */
async function create(order: Order, client: Client): Promise<void> {
  for (;;) {
    try {
      order.ids.add(await send(order, client));
      order.isAcknowledged = true;
      return;
    } catch (error) {
      if (order.isAbandoned) return;
      if (error instanceof ApiError && error.type === "generation_error") {
        order.isAcknowledged = true;
        return;
      }
      const isRetryable =
        error instanceof ConnectionError ||
        (error instanceof ApiError && [409, 429, 500, 502, 503, 504].includes(error.status));
      if (!isRetryable) throw error;
      await systemClock.sleep(RETRY_MS);
    }
  }
}

async function send(order: Order, client: Client): Promise<string> {
  const { key: idempotencyKey, kind, wanted, webhookUrl } = order;
  if (kind === "image") {
    const request = { model: "gamma-image-3.0-pro", prompt: "a cat", size: "1024x1024" };
    const options = { idempotencyKey, timeoutMs: IMAGE_TIMEOUT_MS };
    return (await client.images.create(request, options)).id;
  }
  const request = {
    model: "alpha-2.0-mini",
    prompt: "a cat",
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
    ...(wanted === "failed" ? { metadata: { simulate: "fail:content_rejected" } } : {}),
  };
  const once = order.isAbandoned ? { signal: abandonment() } : {};
  return (await client.videos.create(request, { idempotencyKey, ...once })).id;
}

function abandonment(): AbortSignal {
  const abandoned = new AbortController();
  const reason = Object.assign(new Error("the customer waits no longer"), { name: ABANDONED });
  void systemClock.sleep(ABANDON_AFTER_MS).then(() => abandoned.abort(reason));
  return abandoned.signal;
}
