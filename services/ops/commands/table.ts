/** The commands that call one RPC: a row each, in the notation of `Row` (engine.ts). */
import { randomBytes } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { AccountRequest_Kind as Kind } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { note } from "../session/print.ts";
import type { Session } from "../session/session.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { timeOf, type Fields } from "./convert.ts";
import { inMode, UsageError, type Row } from "./engine.ts";

export const NOUNS: Record<string, string> = {
  account: "create and delete accounts, and set their permissions and limits",
  application: "what users ask operators for: production access and Tokens",
  key: "create, list and revoke API keys",
  transaction: "the changes of a balance",
  discount: "set and list discounts of an account",
  generation: "list, show and move tasks",
  upstream: "check and try the upstreams",
  webhook: "show and repair an account's webhooks",
  asset: "show, limit and delete the stored files of an account",
  retention: "how long prompts, other input and webhooks of an account are kept",
  user: "create, help, disable and delete users of the dashboard",
};

const ACCOUNT =
  "id name production_granted suspended_at restorable_until erased_at creates_per_minute reads_per_minute max_unfinished created_at";
const APPLICATION = "id account=account_id account_name kind tokens email asked=created_at message";
const KEY_NAMES =
  "id mode name prefix last_four access=permissions.access kinds=permissions.kinds models=permissions.models";
const KEY_TIMES = "created_by created_at last_used_at expires_at revoked_at";
const BALANCE = "account_id mode available=balance.available reserved=balance.reserved";
const MOVED = `transaction_id repeated ${BALANCE}`;
const TASK =
  "created_at id account_id mode model status step failures upstream next_step_at error=error.code";
const TASK_DETAIL = `${TASK} kind ending=settling error_message=error.message progress tokens submit_token upstream_id submitted_at started_at deadline_at cancel_requested_at completed_at lease_until last_error`;
const STORAGE = "account_id mode stored_bytes=used_bytes limit_bytes:none";
const SECRET = "account_id mode secret version older_valid_until";
const OWNER = "account! mode";
const TASK_NAME = "<id>=generation_id account";

// oxfmt-ignore
export const ROWS: readonly Row[] = [
  ["account create", "accounts.createAccount", "create an account with test access",
    "name!", `account>${ACCOUNT}`],
  ["account list", "accounts.listAccounts", "list all accounts",
    "", `accounts>${ACCOUNT}`],
  ["account show", "accounts.getAccount", "show an account",
    "account!", `account>${ACCOUNT}`],
  ["account grant-production", "accounts.grantProduction", "let an account create and use live keys, for good",
    "account!", `account>${ACCOUNT}`],
  ["account suspend", "accounts.suspendAccount", "refuse an account's creates; its reads keep working",
    "account!", `account>${ACCOUNT}`],
  ["account unsuspend", "accounts.unsuspendAccount", "end an account's suspension",
    "account!", `account>${ACCOUNT}`, { before: requireState("suspendedAt", "suspended") }],
  ["account log", "accounts.listActions", "list who changed what, newest first",
    "account!", "actions>at actor email action target mode details error address", { limit: 100 }],
  ["account delete", "accounts.deleteAccount", "refuse its keys and members, and erase content and names after 30 days; account restore undoes it until then",
    "account!", `account>${ACCOUNT}`],
  ["account restore", "accounts.restoreAccount", "undo a deletion; an earlier suspension stays",
    "account!", `account>${ACCOUNT}`, { before: requireState("restorableUntil", "deleted") }],
  ["account limits", "accounts.setLimits", "set an account's limits; options left out stay unchanged",
    "account! creates-per-minute reads-per-minute unfinished=max_unfinished", `account>${ACCOUNT}`, { check: requireLimit }],
  ["application list", "accounts.listAccountRequests", "list what waits for an answer, oldest first",
    "", `requests>${APPLICATION}`],
  ["application approve", "accounts.answerAccountRequest", "grant what is asked for, and tell the user",
    "id!=request_id answer", `request>${APPLICATION}`, { before: (session, request) => answer(session, request, true), after: () => note("granted, and the user is told.") }],
  ["application refuse", "accounts.answerAccountRequest", "refuse it, and tell the user",
    "id!=request_id answer", `request>${APPLICATION}`, { before: (session, request) => answer(session, request, false), after: () => note("refused, and the user is told.") }],
  ["key create", "accounts.createKey", "create an API key; it is shown only this once",
    `${OWNER} name access=permissions.access kinds=permissions.kinds models=permissions.models day-tokens month-tokens`, "id=key.id account_id mode name day_tokens month_tokens key=secret", { before: completePermissions, after: noteUnreachable }],
  ["key list", "accounts.listKeys", "list an account's keys, newest first, without their text",
    "account!", `keys>${KEY_NAMES} day_tokens month_tokens ${KEY_TIMES}`],
  ["key limits", "billing.setTokenLimits", "set how many Tokens a live key may use; a limit left out stays, 0 removes it",
    "account! key! day-tokens month-tokens", "account_id key_id day_tokens:none month_tokens:none", { before: completeLimits, after: noteUnreachable }],
  ["key revoke", "accounts.revokeKey", "revoke a key for good",
    "account! key!", `key>${KEY_NAMES} ${KEY_TIMES}`],
  ["recharge", "billing.recharge", "credit Tokens to an account",
    `${OWNER} tokens! reference note`, MOVED, { check: requireReference, after: noteRepeated }],
  ["balance", "billing.getBalance", "show an account's balance",
    OWNER, BALANCE],
  ["adjust", "billing.adjust", "correct a balance: --tokens 5 adds, --tokens=-5 deducts",
    `${OWNER} tokens! reason! reference`, MOVED, { check: requireChange, after: noteRepeated }],
  ["transaction list", "billing.listTransactions", "list the changes of a balance, newest first",
    `${OWNER} generation`, "transactions>created_at id type tokens available_after generation_id reference note", { limit: 100 }],
  ["discount set", "billing.setDiscount", "set a discount from a time on, also in place of one that is to begin then; that of a model goes before that of all",
    "account! basis-points!=discount.basis_points model=discount.model from=discount.from", "discount>model:(all) basis_points from", { before: requireModelOfDiscount }],
  ["discount list", "billing.getDiscounts", "list the discounts in force, and those that begin later",
    "account!", "discounts>model:(all) basis_points from", { before: (_session, request) => void (request["withComing"] = true) }],
  ["reconcile", "generation.reconcile", "compare holds with generations both ways; exit code 1 if they do not agree",
    "release", "discrepancies>kind account_id generation_id attempt released", { after: (rows) => failIf(rows.some((row) => row["released"] !== true)) }],
  ["generation list", "generation.listTasks", "list tasks, newest first: the unfinished ones, or those of a status",
    "account status model since=created_after", `tasks>${TASK}`, { limit: 50, before: narrow }],
  ["generation show", "generation.getTask", "show one task: its step, failures, upstream, its jobs and times",
    TASK_NAME, `task>${TASK_DETAIL}`],
  ["generation due", "generation.makeTaskDue", "have an unfinished task looked at now",
    TASK_NAME, `task>${TASK_DETAIL}`, { before: findAccount, after: () => note("the task is due now, for the next free worker.") }],
  ["generation fail", "generation.failTask", "end an unfinished task as failed (internal), its Tokens restored",
    TASK_NAME, `task>${TASK_DETAIL}`, { before: findAccount }],
  ["upstream check", "generation.checkUpstreams", "send a cheap harmless request to each upstream; exit code 1 if one in use does not work",
    "", "upstreams>upstream model provider upstream_model credential state works=ok fault detail", { after: (rows) => failIf(rows.some((row) => row["works"] !== true && row["state"] !== "disabled")) }],
  ["webhook secret", "delivery.getWebhookSecret", "show the secret that webhooks are signed with",
    OWNER, SECRET],
  ["webhook rotate", "delivery.rotateWebhookSecret", "create a new secret; older ones also sign for 24 hours",
    `${OWNER} replaces=replaces_version`, SECRET, { before: requireNewest }],
  ["webhook test", "delivery.sendTestEvent", "send a webhook.test event to a URL",
    `${OWNER} url!`, "delivery>id event_id url"],
  ["webhook urls", "delivery.listDisabledUrls", "list disabled URLs, newest first",
    OWNER, "urls>url reason disabled_at", { limit: 100 }],
  ["webhook disable", "delivery.disableUrl", "send no more webhooks to a URL, until it is enabled",
    `${OWNER} url!`, "url mode", { before: requireEnabled }],
  ["webhook enable", "delivery.enableUrl", "enable a disabled URL again and send the webhooks it held back",
    `${OWNER} url!`, "url mode resumed", { before: requireDisabled }],
  ["webhook deliveries", "delivery.listDeliveries", "list the latest deliveries, newest first",
    `${OWNER} generation`, "deliveries>id created_at type generation_id url status attempts=attempts.# last=attempts.-1.status_code|attempts.-1.error next_attempt_at", { limit: 100 }],
  ["asset usage", "delivery.getUsage", "show how much is stored, its limits and the retention",
    "account!", "account_id outputs=kept.outputs bytes=kept.bytes oldest_stored_at=oldest_kept_at deleted_outputs=deleted.outputs deleted_bytes=deleted.bytes retention_days:forever storage"],
  ["asset limit", "delivery.setStorageLimit", "set how many bytes of outputs and files may be stored; what would be more is refused",
    `${OWNER} bytes!=limit_bytes`, `storage>${STORAGE}`],
  ["asset retention", "delivery.setRetention", "set how long stored files are kept; older ones are deleted within the hour",
    "account! days!", "account_id retention_days=days:forever"],
  ["asset delete", "delivery.deleteAssets", "delete stored outputs for good; their URLs return 410 within seconds",
    "account! generation before=stored_before", "account_id deleted_outputs=deleted.outputs deleted_bytes=deleted.bytes", { check: requireOne }],
  ["retention show", "generation.getRetention", "show how long they are kept",
    "account!", "account_id retention_days=days:forever"],
  ["retention set", "generation.setRetention", "set how many days after a generation's end they are kept, at least 2",
    "account! days!", "account_id retention_days=days:forever"],
  ["user create", "accounts.createUser", "create a user who owns an account; the password is shown only this once",
    "account! email! name!", "id=user_id email password created", { before: (_session, request) => void (request["password"] = randomBytes(15).toString("base64url")), after: refuseExisting }],
  ["user list", "accounts.listUsers", "list users and their accounts, those of one account if it is given",
    "account", "users>id email name second_factor created_at disabled_at restorable_until accounts=account_ids"],
  ["user reset-password", "accounts.resetUserPassword", "print a link that sets a new password, for the user alone; it works for an hour",
    "email! remove-second-factor", "url"],
  ["user disable", "accounts.disableUser", "end the user's sessions and refuse new ones; keys of accounts go on working",
    "email!", "email state:disabled ended_sessions=sessions"],
  ["user enable", "accounts.enableUser", "let a disabled user sign in again",
    "email!", "email state:enabled"],
  ["user delete", "accounts.deleteUser", "end the user's sessions and refuse new ones, and erase name and e-mail after 30 days; user restore undoes it until then",
    "email!", "id=user_id restorable_until"],
  ["user restore", "accounts.restoreUser", "undo the deletion of a user",
    "email!", "id=user_id"],
  ["user sessions", "accounts.listUserSessions", "list the user's sessions",
    "email! end", "sessions>signed_in=created_at ends=expires_at browser=user_agent", { after: noteEnded }],
];

function failIf(isWrong: boolean): void {
  if (isWrong) process.exitCode = 1;
}

/** Without either a repeated call would credit twice unnoticed. */
function requireReference({ reference, noReference }: Fields): void {
  if (!reference !== !noReference) return;
  const both = reference ? ", not both" : "";
  throw new UsageError(`give --reference, which counts once, or --no-reference${both}`);
}

function noteRepeated([row]: readonly Fields[]): void {
  if (row?.["repeated"] === true)
    note(
      "this reference was used before: nothing was moved again, and the text stored then stays.",
    );
}

function noteEnded(sessions: readonly Fields[], { end }: Fields): void {
  if (end === true && sessions.length > 0) note("these sessions are ended.");
}

function requireChange({ tokens }: Fields): void {
  if (tokens === 0n) throw new UsageError("--tokens: 0 corrects nothing");
}

function requireLimit({ createsPerMinute, readsPerMinute, unfinished }: Fields): void {
  if ([createsPerMinute, readsPerMinute, unfinished].some((limit) => limit !== undefined)) return;
  throw new UsageError("name a limit: --creates-per-minute, --reads-per-minute or --unfinished");
}

function requireOne({ generation, before }: Fields): void {
  if ((generation === undefined) !== (before === undefined)) return;
  throw new UsageError("name what to delete: either --generation or --before");
}

type OfUrl = { accountId: string; mode: Mode; url: string };

/** A delivery of the last release answers with any disabled URL of the account. */
async function isDisabled(delivery: Session["delivery"], ofUrl: OfUrl): Promise<boolean> {
  return (await delivery.listDisabledUrls(ofUrl)).urls.some(({ url }) => url === ofUrl.url);
}

/** A URL without a webhook may be disabled: generations in the queue may have it. */
async function requireEnabled({ delivery }: Session, request: Fields): Promise<void> {
  const ofUrl = { ...(request as OfUrl), limit: 1 };
  if (!/^https?:/i.test(ofUrl.url) || !URL.canParse(ofUrl.url))
    throw new UsageError("--url: must be a complete URL such as https://example.com/path");
  if (await isDisabled(delivery, ofUrl))
    throw new Error(`this URL is disabled already${inMode(request)}`);
  if ((await delivery.listDeliveries(ofUrl)).deliveries.length > 0) return;
  note(`the account has no webhook to this URL yet${inMode(request)}.`);
}

async function requireDisabled({ delivery }: Session, request: Fields): Promise<void> {
  const ofUrl = { ...(request as OfUrl), limit: 1 };
  if (await isDisabled(delivery, ofUrl)) return;
  const held = await delivery.listDeliveries({ ...ofUrl, status: DeliveryStatus.DISABLED });
  if (held.deliveries.length > 0) return;
  throw new Error(`this URL is not disabled${inMode(request)}`);
}

/** Says it as the dashboard does, which takes such limits too. */
function noteUnreachable([row]: readonly Fields[]): void {
  const { day_tokens: day, month_tokens: month } = row as Record<string, number | "none" | null>;
  if (Number(day) > Number(month ?? "none"))
    note("the limit a day is above that of the month, and never reached.");
}

/** Refuses to undo what was not done. */
function requireState(field: "suspendedAt" | "restorableUntil", state: string) {
  return async ({ accounts }: Session, request: Fields): Promise<void> => {
    const { account } = await accounts.getAccount({ accountId: request["accountId"] as string });
    if (account?.[field]) return;
    const other = account?.suspendedAt ? ", but suspended: ops account unsuspend ends that" : "";
    throw new Error(`the account is not ${state}${other}`);
  };
}

async function requireNewest({ delivery }: Session, request: Fields): Promise<void> {
  const { replacesVersion, ...owner } = request as { replacesVersion?: number; accountId: string };
  if (replacesVersion === undefined) return;
  const { version } = await delivery.getWebhookSecret(owner);
  if (version !== replacesVersion)
    throw new Error(`the newest secret has version ${version}: not rotated`);
}

/** Billing does not know the keys, and takes all limits of one at a time. */
async function completeLimits({ accounts }: Session, request: Fields): Promise<void> {
  const { accountId, keyId } = request as { accountId: string; keyId: string };
  const { keys } = await accounts.listKeys({ accountId });
  const key = keys.find(({ id, mode }) => id === keyId && mode === Mode.LIVE);
  if (!key)
    throw new UsageError(
      `--key: the account has no live key "${keyId}"; ops key list has their ids`,
    );
  if (key.revokedAt) throw new Error("the key is revoked: it uses no Tokens any more");
  const names = ["dayTokens", "monthTokens"] as const;
  if (names.every((name) => request[name] === undefined))
    throw new UsageError("name a limit: --day-tokens or --month-tokens");
  for (const name of names) {
    const wanted = request[name] ?? key[name];
    if (wanted === undefined || wanted === 0n) delete request[name];
    else request[name] = wanted;
  }
}

function refuseExisting([user]: readonly Fields[]): void {
  if (user?.["created"] === true) return;
  throw new Error(
    `a user with the e-mail ${String(user?.["email"])} exists already: ops user reset-password gives a link that sets the password`,
  );
}

async function requireModelOfDiscount(session: Session, request: Fields): Promise<void> {
  const { model, basisPoints } = request["discount"] as { model?: string; basisPoints: number };
  // One that was set for a model that there is not may be ended.
  if (model && basisPoints !== 0) await requireModels(session, request, [model]);
}

async function completePermissions(session: Session, request: Fields): Promise<void> {
  const given = request["permissions"] as { models?: string[] } | undefined;
  request["permissions"] = { access: "full", ...given };
  if (given?.models) await requireModels(session, request, given.models);
}

/** Other services do not know the models: what is set for another one would be stored, and never apply. */
async function requireModels(
  { generation }: Session,
  { accountId }: Fields,
  wanted: readonly string[],
): Promise<void> {
  const request = { accountId: accountId as string, mode: Mode.LIVE };
  const ids = (await generation.listModels(request)).models.map(({ id }) => id);
  const unknown = wanted.find((model) => !ids.includes(model));
  if (unknown === undefined) return;
  throw new UsageError(`there is no model "${unknown}"; the models are ${ids.join(", ")}`);
}

/** Ended tasks of all accounts are many. */
function narrow(_session: Session, request: Fields): void {
  const isWide = request["status"] !== undefined && request["accountId"] === undefined;
  if (isWide) request["createdAfter"] ??= timestampFromDate(timeOf("24h"));
}

/** What changes a task is recorded in the audit log of its account. */
async function findAccount({ generation }: Session, request: Fields): Promise<void> {
  const generationId = request["generationId"] as string;
  request["accountId"] ??= (await generation.getTask({ generationId })).task?.accountId;
}

async function answer(session: Session, request: Fields, approved: boolean): Promise<void> {
  const { requests } = await session.accounts.listAccountRequests({ limit: 1_000 });
  const asked = requests.find(({ id }) => id === request["requestId"]);
  if (!asked)
    throw new Error(
      `no application "${String(request["requestId"])}" waits for an answer: see "ops application list"`,
    );
  const { accountId, kind, tokens = 0n } = asked;
  Object.assign(request, { accountId, approved });
  if (!approved || kind !== Kind.TOKENS) return;
  // The id as reference: a repetition after a failure credits nothing again.
  const reference = asked.id;
  const moved = { accountId, mode: Mode.LIVE, tokens, reference, note: "asked for" };
  const { balance } = await session.billing.recharge(moved);
  const left = balance?.available ?? 0n;
  note(`${tokens} Tokens were recharged in live mode; ${left} are available.`);
}
