/** The guards of delivery, and the tests that need them. */
import { deliveryFiles } from "./delivery-files.ts";
import type { Mutation } from "./mutation.ts";

const QUEUE_DELIVERY = "services/delivery/webhook/queue-delivery.ts";
const SIGN = "services/delivery/domain/signature.ts";
const SECRET_BOX = "services/delivery/webhook/secret-box.ts";
const OUTCOME = "services/delivery/domain/outcome.ts";
const SCHEDULE = "services/delivery/domain/schedule.ts";
const SENDER = "services/delivery/webhook/sender.ts";
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
  {
    guard: "an end is confirmed after its delivery is committed",
    file: QUEUE_DELIVERY,
    old: "  const url = webhookUrlOf(end);\n",
    new: `  const url = webhookUrlOf(end);
  await deps.generation.confirmAccepted(
    { accountId: generation.accountId, generationId: generation.id },
  );\n`,
    test: ACCEPT_END_TEST,
    name: "is confirmed only after its delivery is committed",
  },
  {
    guard: "an end is not confirmed where its delivery cannot be committed",
    file: QUEUE_DELIVERY,
    old: "await insertDelivery(",
    new: "void insertDelivery(",
    test: ACCEPT_END_TEST,
  },
  {
    guard: "an event makes one delivery",
    file: INSERT_DELIVERY,
    old: "    on conflict (account_id, event_id) do nothing\n",
    new: "",
    test: ACCEPT_END_TEST,
  },
  {
    guard: "a deleted generation accepts no end",
    file: INSERT_DELIVERY,
    old: `    where not exists (
      select from delivery.deleted_generations
      where account_id = p_account_id and generation_id = p_generation_id
    )
`,
    new: "",
    test: DELETION_TEST,
    name: "lets nothing of it in any more",
  },
  {
    guard: "a deletion waits for an end that is being accepted",
    file: DELETE_WEBHOOKS,
    old: "  perform pg_advisory_xact_lock(hashtextextended(p_account_id || ' ' || p_generation_id, 0));\n",
    new: "",
    test: DELETION_TEST,
    name: "waits for a webhook that is being accepted",
  },
  {
    guard: "a deletion finds a delivery that is redelivered meanwhile",
    file: DELETE_WEBHOOKS,
    old: `    is_moved := found;
    delete from delivery.webhook_queue where account_id = p_account_id and delivery_id = any (ids);
    is_moved := is_moved or found;
`,
    new: "    is_moved := found;\n",
    test: DELETION_TEST,
    name: "waits for an attempt that is being recorded, and for a redelivery",
  },
  {
    guard: "the signature covers the body",
    file: SIGN,
    old: "    .update(body)\n",
    new: "",
    test: SIGN_TEST,
  },
  {
    guard: "the signature covers the event id and the time",
    file: SIGN,
    old: ".update(`${id}.${timestampSeconds}.`)",
    new: '.update("")',
    test: SIGN_TEST,
  },
  {
    guard: "an encrypted secret is bound to its account, mode and number",
    file: SECRET_BOX,
    old: "JSON.stringify([accountId, mode, number])",
    new: "`${[accountId, mode, number].length}`",
    test: SECRET_BOX_TEST,
  },
  {
    guard: "an altered secret is refused",
    file: SECRET_BOX,
    old: 'Buffer.concat([text, decipher.final()]).toString("utf8")',
    new: 'text.toString("utf8")',
    test: SECRET_BOX_TEST,
  },
  {
    guard: "an expired secret does not sign",
    file: SECRETS,
    old: "where s.expires_at is null or s.expires_at > ${at}",
    new: "where s.expires_at is null or s.expires_at > ${at} or true",
    test: "test/delivery/webhook/secret.test.ts",
  },
  {
    guard: "410 disables the URL",
    file: OUTCOME,
    old: 'if (statusCode === GONE) return { status: "disabled" };',
    new: "",
    test: SENDER_TEST,
  },
  {
    guard: "nothing is sent to a disabled URL",
    file: CLAIM_DELIVERIES,
    old: "case when stop.at is null then",
    new: "case when true then",
    test: SENDER_TEST,
  },
  {
    guard: "a redelivery to a disabled URL is refused",
    file: DELIVERIES,
    old: "and u.url_sha256 = ${row}.url_sha256",
    new: "and u.url_sha256 = ${row}.url_sha256 and false",
    test: "test/delivery/webhook/redeliver.test.ts",
  },
  {
    guard: "a failed redelivery leaves a delivery that arrived delivered",
    file: RECORD_ATTEMPTS,
    old: "case when redelivered and delivery.was_delivered(account_id, delivery_id) then 'delivered' else status end",
    new: "status",
    test: "test/delivery/webhook/redeliver.test.ts",
  },
  {
    guard: "a redirect is no success",
    file: OUTCOME,
    old: "statusCode <= 299",
    new: "statusCode <= 399",
    test: SENDER_TEST,
  },
  {
    guard: "Retry-After is limited",
    file: SCHEDULE,
    old: "Math.min(requestedMs, MAX_RETRY_AFTER_FACTOR * plannedMs)",
    new: "requestedMs",
    test: "test/delivery/domain/schedule.test.ts",
  },
  {
    guard: "a leased delivery is not claimed again",
    file: CLAIM_DELIVERIES,
    old: "where not ready and coalesce(lease_until, next_attempt_at) <= p_now",
    new: "where not ready and next_attempt_at <= p_now",
    test: SENDER_TEST,
  },
  {
    guard: "claims run one after the other",
    file: CLAIM_DELIVERIES,
    old: "perform pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'));",
    new: "",
    test: ISOLATION_TEST,
  },
  {
    guard: "a claim does not wait for rows that others hold",
    file: CLAIM_DELIVERIES,
    old: "for update skip locked",
    new: "for update",
    test: SENDER_TEST,
  },
  {
    guard: "a host has four attempts in flight",
    file: FREE_SLOTS,
    old: "generate_series(1, p_slots)",
    new: "generate_series(1, p_slots + 1)",
    test: ISOLATION_TEST,
  },
  {
    guard: "an account's hosts that hang have 24 attempts in flight",
    file: CLAIM_DELIVERIES,
    old: "p_account_open - cardinality(busy)",
    new: "p_account_slots - cardinality(busy)",
    test: ISOLATION_TEST,
  },
  {
    guard: "an account has its turn after the others",
    file: SENDER,
    old: "afterAccount = row.accountId;",
    new: "",
    test: ISOLATION_TEST,
  },
  {
    guard: "an account's hosts have their turns",
    file: SENDER,
    old: "recent.noteTurn(receiverName(row));",
    new: "",
    test: ISOLATION_TEST,
  },
  {
    guard: "a process keeps slots for hosts that were fast",
    file: SENDER,
    old: "const MAX_OPEN_SLOTS = 192;",
    new: "const MAX_OPEN_SLOTS = 256;",
    test: ISOLATION_TEST,
  },
  {
    guard: "a sender that wakes after its lease sends nothing",
    file: HOST_SLOT,
    old: "slot.leaseUntil.getTime() - deps.clock.now().getTime() < MIN_LEASE_MS",
    new: "false",
    test: SENDER_TEST,
  },
  {
    guard: "a sender that lost its lease cannot end a delivery",
    file: RECORD_ATTEMPTS,
    old: `where item.status <> 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence`,
    new: `where item.status <> 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id`,
    test: SENDER_TEST,
  },
  {
    guard: "a sender that lost its lease cannot schedule a delivery",
    file: RECORD_ATTEMPTS,
    old: `where item.status = 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence`,
    new: `where item.status = 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id`,
    test: ATTEMPT_TEST,
  },
  {
    guard: "a sender that lost its lease cannot release a delivery",
    file: RELEASE_DELIVERIES,
    old: " and q.fence = claim.fence",
    new: "",
    test: SENDER_TEST,
  },
  {
    guard: "an attempt that is recorded twice counts once",
    file: RECORD_ATTEMPTS,
    old: `        and a.duration_ms is not null
    )`,
    new: `        and a.duration_ms is not null and false
    )`,
    test: ATTEMPT_TEST,
  },
  {
    guard: "an attempt is written with what follows from it",
    file: RECORD_ATTEMPTS,
    old: `    select account_id, delivery_id, fence, at, status_code, error, duration_ms, response_body
    from changed
`,
    new: `    select account_id, delivery_id, fence, at, status_code, error, duration_ms, response_body
    from changed where false
`,
    test: SENDER_TEST,
  },
  {
    guard: "a list of deliveries is of one account",
    file: DELIVERY_LOG,
    old: "sql`account_id = ${page.accountId} and mode = ${page.mode}`",
    new: "sql`mode = ${page.mode}`",
    test: LOG_TEST,
  },
  {
    guard: "a list of deliveries is of one mode",
    file: DELIVERY_LOG,
    old: "sql`account_id = ${page.accountId} and mode = ${page.mode}`",
    new: "sql`account_id = ${page.accountId}`",
    test: LOG_TEST,
  },
  {
    guard: "a delivery is read by its own account and mode only",
    file: DELIVERY_LOG,
    old: "where account_id = ${owner.accountId} and mode = ${owner.mode} and id = ${id}",
    new: "where id = ${id}",
    test: LOG_TEST,
  },
];

export const delivery: readonly Mutation[] = [...deliveryFiles, ...webhooks];
