/** What the queue's migration makes of deliveries that were there before it. */
import { expect, it } from "vitest";
import { listDeliveries } from "../../services/delivery/store/delivery-log.ts";
import { claimDeliveries } from "../../services/delivery/store/webhook-claims.ts";
import {
  redeliverIfEnded,
  resumeStoppedDeliveries,
} from "../../services/delivery/store/webhook-deliveries.ts";
import { newAccountId } from "../support/account.ts";
import { earlierSchema } from "../support/earlier-schema.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const LATER = new Date("2026-11-21T13:00:00Z");
const URL_OF_ALL = "https://hooks.example/a";

it("keeps each delivery's state, its attempts and its schedule, and loses none that was claimed", async () => {
  await using old = await earlierSchema("delivery", "0020");
  const { sql } = old;
  const accountId = newAccountId();
  const add = (id: string, status: string, next: Date | null, lane: number | null) => sql`
    insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, url, host, body, status,
      attempt_count, next_attempt_at, lease_until, fence, ready, lane, created_at)
    values (${accountId}, ${id}, 'live', ${`evt_${id}`}, 't', ${URL_OF_ALL}, 'hooks.example', '', ${status},
      2, ${next}, ${lane === null ? null : LATER}, 3, ${next === NOW && lane === null}, ${lane}, ${NOW})`;
  const attempt = (id: string, number: number, error: string | null) => sql`
    insert into delivery.webhook_attempts (account_id, delivery_id, number, at, error, duration_ms)
    values (${accountId}, ${id}, ${number}, ${NOW}, ${error}, ${error === null ? null : 0})`;
  await add("whd_ready", "pending", NOW, null);
  await add("whd_claimed", "pending", NOW, 2);
  await add("whd_waiting", "pending", LATER, null);
  for (const end of ["delivered", "exhausted", "disabled"])
    await add(`whd_${end}`, end, null, null);
  await attempt("whd_ready", 2, "not_sent");
  await attempt("whd_ready", 3, "timeout");
  await attempt("whd_claimed", 3, null);
  await old.migrate();

  const page = { accountId, mode: "live" as const, after: undefined, limit: 10 };
  const listed = await listDeliveries(sql, { ...page, generationId: undefined, status: undefined });
  expect(
    listed.map(({ id, status, attempts }) => [id, status, ...attempts.map(({ error }) => error)]),
  ).toEqual([
    ["whd_waiting", "pending"],
    ["whd_ready", "pending", "timeout"],
    ["whd_exhausted", "exhausted"],
    ["whd_disabled", "disabled"],
    ["whd_delivered", "delivered"],
    ["whd_claimed", "pending", "unknown"],
  ]);

  const owner = { accountId, mode: "live" as const };
  expect(await redeliverIfEnded(sql, owner, "whd_exhausted", NOW)).toBe(true);
  expect(await resumeStoppedDeliveries(sql, owner, URL_OF_ALL, { at: NOW, limit: 10 })).toBe(1);
  const claim = {
    afterHost: "",
    hosts: 10,
    slotsPerHost: 4,
    slowHosts: [],
    deliveriesPerSlot: 10,
    rows: 10,
  };
  const claimed = await claimDeliveries(sql, { ...claim, now: NOW, leaseUntil: LATER });
  const states = claimed.flatMap((row) =>
    "fence" in row ? [[row.id, [row.fence, row.attempt_count, row.redelivered]] as const] : [],
  );
  expect(Object.fromEntries(states)).toEqual({
    whd_claimed: [4n, 2, false],
    whd_disabled: [4n, 2, false],
    whd_exhausted: [4n, 2, true],
    whd_ready: [4n, 2, false],
  });
});
