/** What customers order under fire: drawn from a seed, so that a run can be repeated. */
import type { Client } from "../../../clients/typescript/index.ts";
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
  /** Whether its customer sends the create once, and never asks again. */
  isAbandoned: boolean;
  /** The ids of all answers to the key. */
  ids: Set<string>;
  /** Whether the create was answered with success, or with the failure of the generation. */
  isAcknowledged: boolean;
};

export type PlannedOrder = {
  atMs: number;
  order: Order;
  client: Client;
  repeats: boolean;
  stopAfterMs: number;
};

const VIDEOS_A_SECOND = 5;
const IMAGES_A_SECOND = 0.7;
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
const ABANDON_SHARE = 0.1;

export function planOrders(
  seconds: number,
  customers: readonly FleetCustomer[],
  receivers: Receivers,
  random: Random,
): PlannedOrder[] {
  const kinds = random.shuffle([
    ...Array<"video">(VIDEOS_A_SECOND * seconds).fill("video"),
    ...Array<"image">(Math.round(IMAGES_A_SECOND * seconds)).fill("image"),
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
        isAbandoned: isVideo && random.next() < ABANDON_SHARE,
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
