/** What an audit compares: what customers were told, what the rows say, and what strangers saw. */
import { derivedId } from "#runtime/id.ts";
import type { Crash } from "../chaos.ts";
import type { FleetCustomer } from "../customers.ts";
import type { Fleet } from "../../../support/compose/compose.ts";
import type { FireFleet } from "../fire-fleet.ts";
import type { Upstream } from "../upstream.ts";
import type { Order } from "../orders.ts";
import type { Receivers } from "../receivers.ts";

export type Row = {
  id: string;
  account_id: string;
  mode: string;
  kind: "video" | "image";
  status: string;
  step: string;
  tokens: bigint;
  error_code: string | null;
  error_message: string | null;
  upstream_id: string | null;
  output: { key: string; thumbnailKey?: string; bytes: string }[];
};

export type Evidence = {
  fleet: Fleet;
  upstream: Upstream;
  query: FireFleet["query"];
  customers: readonly FleetCustomer[];
  receivers: Receivers;
  crashes: readonly Crash[];
  /** Orders by the id of their generation. */
  orders: ReadonlyMap<string, Order>;
  /** Rows by the id of their generation. */
  rows: ReadonlyMap<string, Row>;
};

/** A check returns what is wrong, in sentences. */
export type Check = (evidence: Evidence) => Promise<string[]> | string[];

export async function readEvidence(
  { fleet, upstream, query }: FireFleet,
  customers: readonly FleetCustomer[],
  receivers: Receivers,
  orders: readonly Order[],
  crashes: readonly Crash[],
): Promise<Evidence> {
  const rows = await query(
    (sql) => sql<Row[]>`
      select g.id, g.account_id, g.mode, g.kind, g.status, coalesce(t.step, 'done') as step, g.tokens, g.error_code,
        g.error_message, g.upstream_id, g.output
      from generation.generations g left join generation.tasks t on t.account_id = g.account_id and t.id = g.id`,
  );
  return {
    fleet,
    upstream,
    query,
    customers,
    receivers,
    crashes,
    orders: new Map(orders.map((order) => [idOf(order), order])),
    rows: new Map(rows.map((row) => [row.id, row])),
  };
}

/** The id that the service derives from an order's idempotency key. */
function idOf({ kind, accountId, mode, key }: Order): string {
  const [prefix, operation] =
    kind === "video"
      ? (["vgen", "createVideoGeneration"] as const)
      : (["igen", "createImageGeneration"] as const);
  return derivedId(prefix, [accountId, mode, operation, key]);
}
