/** Finds the deliveries that fail: pending ones of which an attempt was made. The delivery service has no filter for them. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Delivery } from "#gen/proto/media/delivery/v1/delivery_pb.ts";

export type Page = { limit: number; after?: string | undefined };

export type ReadDeliveries = (
  page: Page,
) => Promise<{ deliveries: readonly Delivery[]; hasMore: boolean }>;

type Found = {
  deliveries: Delivery[];
  hasMore: boolean;
  /** When the last delivery that was read was made; absent when all were read. */
  readBackTo?: Timestamp | undefined;
};

const PAGE_SIZE = 100;
/** Where more deliveries than these wait, most of them fail, and a page of them is found before. */
const MAX_PAGES = 20;

/** `read` reads a page of pending deliveries. */
export async function readFailing(read: ReadDeliveries, { limit, after }: Page): Promise<Found> {
  const found: Delivery[] = [];
  let last: Delivery | undefined;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const page = await read({ limit: PAGE_SIZE, after: last?.id ?? after });
    found.push(...page.deliveries.filter(({ attempts }) => attempts.length > 0));
    if (found.length > limit) return { deliveries: found.slice(0, limit), hasMore: true };
    last = page.deliveries.at(-1);
    if (!page.hasMore) return { deliveries: found, hasMore: false };
  }
  return { deliveries: found, hasMore: false, readBackTo: last?.createdAt };
}
