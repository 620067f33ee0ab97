/** Customers under fire: they create videos and images with idempotency keys, repeat them, cancel some, and read. */
import { systemClock } from "#runtime/clock.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ApiError, ConnectionError } from "../../../clients/typescript/index.ts";
import type { Client } from "../../../clients/typescript/index.ts";
import type { Session } from "../../../services/ops/session.ts";
import type { FleetCustomer, ModeName } from "./customers.ts";
import type { Receivers } from "./receivers.ts";
import type { Random } from "./seed.ts";

/** One create as its customer knows it. */
export type Order = {
  key: string;
  accountId: string;
  mode: ModeName;
  kind: "video" | "image";
  webhookUrl: string | undefined;
  /** How the upstream is asked to end it. */
  wanted: "success" | "failed";
  /** Who tried to end it before the upstream did. */
  stoppedBy: "customer" | "operator" | undefined;
  /** The ids of all answers to the key. */
  ids: Set<string>;
  /** Whether the create was answered with success, or with the failure of the generation. */
  isAcknowledged: boolean;
};

export type LoadSize = { videos: number; images: number; seconds: number };

export type Load = {
  orders: readonly Order[];
  /** Ends that a customer read and that were different later, in sentences. */
  contradictions: readonly string[];
  /** Resolves when every create was answered. */
  done: Promise<unknown>;
  stopReading: () => Promise<unknown>;
};

/** The share of the first account, the hot one. */
const HOT_SHARE = 0.3;
const TEST_SHARE = 0.2;
const FAIL_SHARE = 0.2;
const REPEAT_SHARE = 0.15;
const CANCEL_SHARE = 0.06;
const OPERATOR_SHARE = 0.06;
/** From the acknowledgement; the latest come when most videos have ended. */
const MAX_STOP_AFTER_MS = 6_000;
const WEBHOOK_SHARE = 0.8;
const READERS = 4;
const READ_EVERY_MS = 200;
const RETRY_MS = 500;
const IMAGE_TIMEOUT_MS = 150_000;

export function startLoad(
  size: LoadSize,
  customers: readonly FleetCustomer[],
  receivers: Receivers,
  random: Random,
  operator: Session,
): Load {
  const planned = planOrders(size, customers, receivers, random);
  const orders = planned.map(({ order }) => order);
  const reading = new AbortController();
  const seen: Seen = { ends: new Map(), contradictions: [] };
  const readers = Array.from({ length: READERS }, () =>
    read(customers, orders, seen, random, reading.signal),
  );
  return {
    orders,
    contradictions: seen.contradictions,
    done: Promise.all(
      planned.map(async ({ atMs, ...rest }) => {
        await systemClock.sleep(atMs);
        await run(rest, operator);
      }),
    ),
    stopReading: () => {
      reading.abort();
      return Promise.all(readers);
    },
  };
}

type Planned = {
  atMs: number;
  order: Order;
  client: Client;
  repeats: boolean;
  stopAfterMs: number;
};

function planOrders(
  { videos, images, seconds }: LoadSize,
  customers: readonly FleetCustomer[],
  receivers: Receivers,
  random: Random,
): Planned[] {
  const kinds = random.shuffle([
    ...Array<"video">(videos).fill("video"),
    ...Array<"image">(images).fill("image"),
  ]);
  return kinds.map((kind, index) => {
    const isHot = random.next() < HOT_SHARE;
    const customer = isHot ? customers[0] : random.pick(customers);
    if (!customer) throw new Error("there are no customers");
    const { accountId, clients } = customer;
    const mode = random.next() < TEST_SHARE ? "test" : "live";
    const isVideo = kind === "video";
    const fails = isVideo && mode === "test" && random.next() < FAIL_SHARE;
    const hasWebhook = isVideo && random.next() < WEBHOOK_SHARE;
    return {
      atMs: (index / kinds.length) * seconds * 1_000,
      client: clients[mode],
      repeats: random.next() < REPEAT_SHARE,
      stopAfterMs: random.integer(0, MAX_STOP_AFTER_MS),
      order: {
        key: `order-${index}`,
        accountId,
        mode,
        kind,
        webhookUrl: hasWebhook ? receivers.urlOf(accountId) : undefined,
        wanted: fails ? "failed" : "success",
        stoppedBy: isVideo ? stopperOf(random.next()) : undefined,
        ids: new Set(),
        isAcknowledged: false,
      },
    };
  });
}

function stopperOf(share: number): Order["stoppedBy"] {
  if (share < CANCEL_SHARE) return "customer";
  return share < CANCEL_SHARE + OPERATOR_SHARE ? "operator" : undefined;
}

async function run(
  { order, client, repeats, stopAfterMs }: Omit<Planned, "atMs">,
  operator: Session,
): Promise<void> {
  const once = () => create(order, client);
  // A client whose answer was late repeats its request while the first one is still being worked on.
  await Promise.all(repeats ? [once(), systemClock.sleep(100).then(once)] : [once()]);
  const [id = ""] = order.ids;
  if (order.stoppedBy === undefined) return;
  await systemClock.sleep(stopAfterMs);
  // It may be too late, or fail: then the order ends as if nobody had asked.
  const stopping =
    order.stoppedBy === "customer"
      ? client.cancelVideo(id)
      : operator.client("generation", GenerationService).failTask({ generationId: id });
  await stopping.catch(() => undefined);
}

/** Repeats the same request until it is answered. */
async function create(order: Order, client: Client): Promise<void> {
  for (;;) {
    try {
      order.ids.add(await send(order, client));
      order.isAcknowledged = true;
      return;
    } catch (error) {
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
    return (await client.createImage(request, options)).id;
  }
  const request = {
    model: "alpha-2.0-mini",
    prompt: "a cat",
    ...(webhookUrl === undefined ? {} : { webhook_url: webhookUrl }),
    ...(wanted === "failed" ? { metadata: { simulate: "fail:content_rejected" } } : {}),
  };
  return (await client.createVideo(request, { idempotencyKey })).id;
}

/** What customers read. */
type Seen = { ends: Map<string, string>; contradictions: string[] };

async function read(
  customers: readonly FleetCustomer[],
  orders: readonly Order[],
  seen: Seen,
  random: Random,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const { accountId, clients } = random.pick(customers);
    const mode = random.pick(["live", "test"] as const);
    const client = clients[mode];
    const known = orders.filter(
      (order) => order.accountId === accountId && order.mode === mode && order.kind === "video",
    );
    const ids = known.flatMap((order) => [...order.ids]);
    const reads: (() => Promise<unknown>)[] = [
      () => client.retrieveBalance(),
      () => client.listModels(),
      ...(ids.length === 0 ? [] : [() => readVideo(client, random.pick(ids), seen)]),
    ];
    await random
      .pick(reads)()
      .catch(() => undefined);
    await systemClock.sleep(READ_EVERY_MS, stop);
  }
}

async function readVideo(client: Client, id: string, seen: Seen): Promise<void> {
  const { status } = await client.retrieveVideo(id);
  const end = seen.ends.get(id);
  if (end !== undefined && end !== status) {
    seen.contradictions.push(`${id} was ${end} and is ${status}`);
  }
  if (status !== "pending" && status !== "processing") seen.ends.set(id, status);
}
