/** The guards of delivery, and the tests that need them. */
import { deliveryFiles } from "./delivery-files.ts";
import { guards, type Mutation } from "./mutation.ts";

const ACCEPT_END = "services/delivery/rpc/accept-end.ts";
const SIGN = "services/delivery/domain/signature.ts";
const SECRET_BOX = "services/delivery/webhook/secret-box.ts";
const OUTCOME = "services/delivery/domain/outcome.ts";
const SCHEDULE = "services/delivery/domain/schedule.ts";
const SENDER = "services/delivery/webhook/sender.ts";
const RECENT_RECEIVERS = "services/delivery/webhook/recent-receivers.ts";
const HOST_SLOT = "services/delivery/webhook/host-slot.ts";
const DELIVERIES = "services/delivery/store/webhook-deliveries.ts";
const INSERT_DELIVERY = "services/delivery/functions/insert_delivery.sql";
const DELETE_WEBHOOKS = "services/delivery/functions/delete_webhooks.sql";
const DELIVERY_LOG = "services/delivery/store/delivery-log.ts";
const SECRETS = "services/delivery/store/webhook-secrets.ts";
const CLAIM_DELIVERIES = "services/delivery/functions/claim_deliveries.sql";
const FREE_SLOTS = "services/delivery/functions/free_slots.sql";
const RECORD_ATTEMPTS = "services/delivery/functions/record_attempts.sql";
const RELEASE_DELIVERIES = "services/delivery/functions/release_deliveries.sql";

const ACCEPT_END_TEST = "test/delivery/rpc/accept-end.test.ts";
const DELETION_TEST = "test/delivery/rpc/delete-generation.test.ts";
const SIGN_TEST = "test/delivery/domain/signature.test.ts";
const SECRET_BOX_TEST = "test/delivery/webhook/secret-box.test.ts";
const SENDER_TEST = "test/delivery/webhook/sender.test.ts";
const ATTEMPT_TEST = "test/delivery/webhook/attempt-writer.test.ts";
const ISOLATION_TEST = "test/delivery/webhook/isolation.test.ts";
const LOG_TEST = "test/delivery/webhook/log.test.ts";

const webhooks: readonly Mutation[] = [
  ...guards(ACCEPT_END, ACCEPT_END_TEST, {
    "an end is accepted only where its delivery is committed": [
      "await insertDelivery(",
      "void insertDelivery(",
    ],
  }),
  ...guards(INSERT_DELIVERY, ACCEPT_END_TEST, {
    "an event makes one delivery": "on conflict (account_id, event_id) do nothing",
  }),
  ...guards(INSERT_DELIVERY, DELETION_TEST, {
    "a deleted generation accepts no end": [
      `where not exists (
      select from delivery.deleted_generations
      where account_id = p_account_id and generation_id = p_generation_id
    )`,
      "",
      "lets nothing of it in any more",
    ],
  }),
  ...guards(DELETE_WEBHOOKS, DELETION_TEST, {
    "a deletion waits for an end that is being accepted": [
      "perform pg_advisory_xact_lock(hashtextextended(p_account_id || ' ' || p_generation_id, 0));",
      "",
      "waits for a webhook that is being accepted",
    ],
    "a deletion finds a delivery that is redelivered meanwhile": [
      `is_moved := found;
    delete from delivery.webhook_queue where account_id = p_account_id and delivery_id = any (ids);
    is_moved := is_moved or found;`,
      "is_moved := found;",
      "waits for an attempt that is being recorded, and for a redelivery",
    ],
  }),
  ...guards(SIGN, SIGN_TEST, {
    "the signature covers the body": ".update(body)",
    "the signature covers the event id and the time": ["(`${id}.${timestampSeconds}.`)", '("")'],
  }),
  ...guards(SECRET_BOX, SECRET_BOX_TEST, {
    "an encrypted secret is bound to its account, mode and number": [
      "JSON.stringify([accountId, mode, number])",
      "`${[accountId, mode, number].length}`",
    ],
    "an altered secret is refused": ["Buffer.concat([text, decipher.final()]).", "text."],
  }),
  ...guards(SECRETS, "test/delivery/webhook/secret.test.ts", {
    "an expired secret does not sign": ["s.expires_at > ${at}", "s.expires_at > ${at} or true"],
  }),
  ...guards(OUTCOME, SENDER_TEST, {
    "410 disables the URL": 'if (statusCode === GONE) return { status: "disabled" };',
    "a redirect is no success": ["statusCode <= 299", "statusCode <= 399"],
  }),
  ...guards(CLAIM_DELIVERIES, SENDER_TEST, {
    "nothing is sent to a disabled URL": ["where chosen.stopped_at is null and", "where true and"],
    "a leased delivery is not claimed again": [
      "where not ready and coalesce(lease_until, next_attempt_at) <= p_now",
      "where not ready and next_attempt_at <= p_now",
    ],
    "a claim does not wait for rows that others hold": [
      `limit 1000
    for update skip locked`,
      `limit 1000
    for update`,
    ],
  }),
  ...guards(DELIVERIES, "test/delivery/webhook/redeliver.test.ts", {
    "a redelivery to a disabled URL is refused": [
      "and u.url_sha256 = ${row}.url_sha256",
      "and u.url_sha256 = ${row}.url_sha256 and false",
    ],
    "a redelivery keeps when the next attempt of the schedule is due": [
      "coalesce(q.resume_at, q.next_attempt_at)",
      "null",
    ],
  }),
  ...guards(RECORD_ATTEMPTS, "test/delivery/webhook/redeliver.test.ts", {
    "a redelivery takes no attempt of the schedule": ["(q.resume_at is null)::integer", "1"],
    "a failed redelivery leaves a delivery that arrived delivered": [
      "case when redelivered and delivery.was_delivered(account_id, delivery_id) then 'delivered' else status end",
      "status",
    ],
  }),
  ...guards(SCHEDULE, "test/delivery/domain/schedule.test.ts", {
    "Retry-After is limited": [
      "Math.min(requestedMs, MAX_RETRY_AFTER_FACTOR * plannedMs)",
      "requestedMs",
    ],
  }),
  ...guards(CLAIM_DELIVERIES, ISOLATION_TEST, {
    "claims run one after the other":
      "perform pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'));",
    "an account's hosts that hang have 24 attempts in flight": ["24 - delivery.", "32 - delivery."],
  }),
  ...guards(FREE_SLOTS, ISOLATION_TEST, {
    "a host has four attempts in flight": ["4 - (", "5 - ("],
  }),
  ...guards(RECENT_RECEIVERS, ISOLATION_TEST, {
    "an account has its turn after the others": "turns.delete(accountId);",
    "an account's hosts have their turns": "turns.set(accountId, host);",
  }),
  ...guards(SENDER, ISOLATION_TEST, {
    "a process keeps slots for hosts that were fast": [
      "const MAX_OPEN_SLOTS = 192;",
      "const MAX_OPEN_SLOTS = 256;",
    ],
  }),
  ...guards(HOST_SLOT, SENDER_TEST, {
    "a sender that wakes after its lease sends nothing": [
      "slot.leaseUntil.getTime() - deps.clock.now().getTime() < MIN_LEASE_MS",
      "false",
    ],
  }),
  ...guards(RECORD_ATTEMPTS, SENDER_TEST, {
    "a sender that lost its lease cannot end a delivery": [
      `where item.status <> 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence`,
      `where item.status <> 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id`,
    ],
    "an attempt is written with what follows from it": [
      `select account_id, delivery_id, fence, at, status_code, error, duration_ms, response_body
    from changed`,
      `select account_id, delivery_id, fence, at, status_code, error, duration_ms, response_body
    from changed where false`,
    ],
  }),
  ...guards(RECORD_ATTEMPTS, ATTEMPT_TEST, {
    "a sender that lost its lease cannot schedule a delivery": [
      `where item.status = 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence`,
      `where item.status = 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id`,
    ],
    "an attempt that is recorded twice counts once": [
      "and a.duration_ms is not null",
      "and a.duration_ms is not null and false",
    ],
  }),
  ...guards(RELEASE_DELIVERIES, SENDER_TEST, {
    "a sender that lost its lease cannot release a delivery": "and q.fence = claim.fence",
  }),
  ...guards(DELIVERY_LOG, LOG_TEST, {
    "deliveries are read and listed by their own account only": "account_id = ${accountId} and",
    "deliveries are read and listed by their own mode only": "and mode = ${mode}",
  }),
];

export const delivery: readonly Mutation[] = [...deliveryFiles, ...webhooks];
