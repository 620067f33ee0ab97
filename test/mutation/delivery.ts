/** The guards of downloads, outputs and webhooks, and the tests that need them. */
import type { Mutation } from "./mutation.ts";

const FETCH_SOURCE = "services/delivery/download/fetch-source.ts";
const FETCH_PICTURE = "services/delivery/download/fetch-picture.ts";
const OPEN_DOWNLOAD = "services/delivery/download/open-download.ts";
const ASSETS = "services/delivery/store/assets.ts";
const ASSET_DELETIONS = "services/delivery/store/asset-deletions.ts";
const ASSET_TOKENS = "services/delivery/store/asset-tokens.ts";
const GUARDED_AGENT = "services/delivery/egress/guarded-agent.ts";
const EXCHANGE = "services/delivery/egress/http-exchange.ts";
const REQUEST = "services/delivery/egress/request.ts";
const ACCEPT_END = "services/delivery/webhook/accept-end.ts";
const SIGN = "services/delivery/domain/signature.ts";
const SECRET_BOX = "services/delivery/webhook/secret-box.ts";
const OUTCOME = "services/delivery/domain/outcome.ts";
const SCHEDULE = "services/delivery/domain/schedule.ts";
const SENDER = "services/delivery/webhook/sender.ts";
const HOST_SLOT = "services/delivery/webhook/host-slot.ts";
const DELIVERIES = "services/delivery/store/webhook-deliveries.ts";
const DELIVERY_LOG = "services/delivery/store/delivery-log.ts";
const SECRETS = "services/delivery/store/webhook-secrets.ts";
const CLAIM_DELIVERIES = "services/delivery/functions/claim_deliveries.sql";
const FREE_SLOTS = "services/delivery/functions/free_slots.sql";
const RECORD_ATTEMPTS = "services/delivery/functions/record_attempts.sql";
const RELEASE_DELIVERIES = "services/delivery/functions/release_deliveries.sql";

const COPY = "services/delivery/copy/copy-output.ts";
const CONFINEMENT = "services/delivery/media/confinement.ts";
const DECODER_PROCESS = "services/delivery/media/decoder-process.ts";
const THUMBNAIL = "services/delivery/media/thumbnail.ts";

const CONFINEMENT_TEST = "test/delivery/media/confinement.test.ts";
const SOURCE_TEST = "test/delivery/download/fetch-source.test.ts";
const PICTURE_TEST = "test/delivery/download/fetch-input.test.ts";
const STORE_TEST = "test/delivery/copy/store-output.test.ts";
const ASSET_DELETION_TEST = "test/delivery/maintenance/maintenance.test.ts";
const EGRESS_TEST = "test/delivery/egress/request.test.ts";
const ACCEPT_END_TEST = "test/delivery/webhook/accept-end.test.ts";
const SIGN_TEST = "test/delivery/domain/signature.test.ts";
const SECRET_BOX_TEST = "test/delivery/webhook/secret-box.test.ts";
const SENDER_TEST = "test/delivery/webhook/sender.test.ts";
const ATTEMPT_TEST = "test/delivery/webhook/attempt-writer.test.ts";
const ISOLATION_TEST = "test/delivery/webhook/isolation.test.ts";
const LOG_TEST = "test/delivery/webhook/log.test.ts";

const media: readonly Mutation[] = [
  {
    guard: "the decoder's memory is limited",
    file: CONFINEMENT,
    old: "`ulimit -d ${MEMORY_KIB}`,",
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder's processor time is limited",
    file: CONFINEMENT,
    old: "`ulimit -t ${CPU_SECONDS}`,",
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder has no environment",
    file: CONFINEMENT,
    old: "env: {},",
    new: "env: process.env,",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder has a user of its own",
    file: DECODER_PROCESS,
    old: "if (user !== undefined) becomeUser",
    new: "if (false) becomeUser",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder keeps no group of root",
    file: CONFINEMENT,
    old: "process.setgroups?.([id]);",
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "the decoder ends with the service",
    file: DECODER_PROCESS,
    old: 'process.kill(process.pid, "SIGKILL");',
    new: "",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "frames that are too large are not decoded",
    file: THUMBNAIL,
    old: "if (width * height > MAX_FRAME_PIXELS)",
    new: "if (false)",
    test: CONFINEMENT_TEST,
  },
  {
    guard: "a thumbnail is tried after the copy is recorded",
    file: COPY,
    old: "  const isRecorded = await",
    new: "  await deps.decoder.thumbnail(file.path);\n  const isRecorded = await",
    test: STORE_TEST,
  },
  {
    guard: "a thumbnail of a deleted output is not recorded",
    file: ASSETS,
    old: "\n      and delete_at is null\n    returning 1",
    new: "\n    returning 1",
    test: STORE_TEST,
  },
  {
    guard: "a thumbnail that is not recorded is deleted",
    file: COPY,
    old: "if (!(await recordThumbnailIfStored(sql, thumbnail)))",
    new: "if (!(await recordThumbnailIfStored(sql, thumbnail)) && false)",
    test: STORE_TEST,
  },
];

const downloads: readonly Mutation[] = [
  {
    guard: "a download is capped while it is read",
    file: FETCH_SOURCE,
    old: "if (bytes > maxBytes) throw",
    new: "if (false) throw",
    test: SOURCE_TEST,
  },
  {
    guard: "a download that announces too much is not read",
    file: FETCH_SOURCE,
    old: "if ((announcedBytes ?? 0) > maxBytes)",
    new: "if (false)",
    test: SOURCE_TEST,
  },
  {
    guard: "the announced length of a download is read from its headers",
    file: OPEN_DOWNLOAD,
    old: "Number.isSafeInteger(bytes) ? bytes : undefined",
    new: "undefined",
    test: SOURCE_TEST,
  },
  {
    guard: "a picture is capped while it is read",
    file: FETCH_PICTURE,
    old: "if (bytes > maxBytes) return undefined;",
    new: "",
    test: PICTURE_TEST,
  },
  {
    guard: "a picture that announces too much is not read",
    file: FETCH_PICTURE,
    old: "announcedBytes > limits.maxBytes ? undefined : ",
    new: "",
    test: PICTURE_TEST,
  },
  {
    guard: "a picture's pixels are limited",
    file: FETCH_PICTURE,
    old: "pixels === 0 || pixels > maxPixels",
    new: "pixels === 0",
    test: PICTURE_TEST,
  },
  {
    guard: "a picture's redirects are checked before they are followed",
    file: OPEN_DOWNLOAD,
    old: "if (url && !(download.mayFetch?.(url) ?? true)) {",
    new: "if (false) {",
    test: PICTURE_TEST,
  },
  {
    guard: "a source's headers go to its own origin only",
    file: OPEN_DOWNLOAD,
    old: "...(isOwn ? download.headers : {})",
    new: "...download.headers",
    test: SOURCE_TEST,
  },
  {
    guard: "only the configured origin itself may have a private address",
    file: OPEN_DOWNLOAD,
    old: "isOwn && download.isConfiguredOrigin ? direct : guarded",
    new: "download.isConfiguredOrigin ? direct : guarded",
    test: SOURCE_TEST,
  },
];

const outputs: readonly Mutation[] = [
  {
    guard: "outputs are read by account",
    file: ASSETS,
    old: "where account_id = ${accountId} and generation_id = ${generationId} and stored_at is not null",
    new: "where generation_id = ${generationId} and stored_at is not null",
    test: STORE_TEST,
  },
  {
    guard: "only the copy that holds the reserved token records an output",
    file: ASSETS,
    old: "and token = ${asset.token} and stored_at is null",
    new: "and stored_at is null",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "the token of a stored output is never replaced",
    file: ASSET_TOKENS,
    old: "where token = ${token} and stored_at is null",
    new: "where token = ${token}",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "a deletion takes the outputs of one account only",
    file: ASSET_DELETIONS,
    old: "set delete_at = ${at}\n      where account_id = ${accountId} and generation_id",
    new: "set delete_at = ${at}\n      where generation_id",
    test: ASSET_DELETION_TEST,
  },
  {
    guard: "two workers never claim the same deletion",
    file: ASSET_DELETIONS,
    old: "for update skip locked",
    new: "",
    test: ASSET_DELETION_TEST,
  },
];

const egress: readonly Mutation[] = [
  {
    guard: "a private literal address is refused before the dial",
    file: GUARDED_AGENT,
    old: "if (!checkUrl(originOf(target), allow, { plainHttp }).ok) {",
    new: "if (false) {",
    test: EGRESS_TEST,
  },
  {
    guard: "a private address among those of a name is refused",
    file: GUARDED_AGENT,
    old: "if (!found.every(({ address }) => mayReach(address))) throw new BlockedAddressError();",
    new: "",
    test: EGRESS_TEST,
  },
  {
    guard: "the connected socket's address is checked",
    file: GUARDED_AGENT,
    old: "if (mayReach(remoteOf(socket))) return",
    new: "if (true) return",
    test: EGRESS_TEST,
  },
  {
    guard: "no redirect is followed",
    file: EXCHANGE,
    old: "const response = request(url, { ...options, signal,",
    new: `const { interceptors } = await import("undici");
    const redirect = interceptors.redirect({ maxRedirections: 3 });
    const response = request(url, { ...options, dispatcher: options.dispatcher.compose(redirect), signal,`,
    test: EGRESS_TEST,
  },
  {
    guard: "a request has a total deadline",
    file: REQUEST,
    old: "using limit = deadline(deadlineMs);",
    new: "using limit = deadline(2_147_483_647);",
    test: EGRESS_TEST,
  },
  {
    guard: "an answer is read up to a cap",
    file: REQUEST,
    old: "if (bytes < maxBytes) return;",
    new: "if (bytes >= 0) return;",
    test: EGRESS_TEST,
  },
];

const webhooks: readonly Mutation[] = [
  {
    guard: "an end is confirmed after its delivery is committed",
    file: ACCEPT_END,
    old: "  const url = webhookUrlOf(end);\n",
    new: `  const url = webhookUrlOf(end);
  await deps.generation.confirmHandover(
    { accountId: generation.accountId, generationId: generation.id },
  );\n`,
    test: ACCEPT_END_TEST,
    name: "is confirmed only after its delivery is committed",
  },
  {
    guard: "an end is not confirmed where its delivery cannot be committed",
    file: ACCEPT_END,
    old: "await insertDelivery(",
    new: "void insertDelivery(",
    test: ACCEPT_END_TEST,
  },
  {
    guard: "an event makes one delivery",
    file: DELIVERIES,
    old: "      on conflict (account_id, event_id) do nothing\n",
    new: "",
    test: ACCEPT_END_TEST,
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
    old: "and u.url_sha256 = e.url_sha256",
    new: "and u.url_sha256 = e.url_sha256 and false",
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

export const delivery: readonly Mutation[] = [
  ...media,
  ...downloads,
  ...outputs,
  ...egress,
  ...webhooks,
];
