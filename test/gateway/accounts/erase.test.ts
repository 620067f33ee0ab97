/** The deletion of accounts and users: refused at once, undone within 30 days, then erased step by step. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { eraseDeleted, UNDO_MS } from "../../../services/gateway/accounts/erase.ts";
import * as store from "../../../services/gateway/store/store.ts";
import { openPool } from "../../support/database.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { codeOf, PASSWORD, useDashboard } from "../dashboard/browser.ts";
import { errorOf } from "../requests.ts";

const { harness, newBrowser, newMember } = useDashboard();
const MINUTE_MS = 60_000;

const reason = async (call: Promise<unknown>) => reasonOf(await call.catch((error) => error));

/** Erases as a replica of the gateway would so long after now; the other services answer in turn, and then that all is done. */
async function eraseAfter(ms: number, answers: (boolean | Error)[] = [], signal?: AbortSignal) {
  await using sql = openPool(harness.databaseUrl, 2);
  const asked: string[] = [];
  const service = (name: string) => ({
    async eraseAccount() {
      asked.push(name);
      const done = answers.shift() ?? true;
      if (typeof done !== "boolean") throw done;
      return { done };
    },
  });
  const deps = {
    sql,
    clock: manualClock(addMs(new Date(), ms).toISOString()),
    log: createLog("gateway", "silent"),
    generation: service("generation"),
    billing: service("billing"),
    delivery: service("delivery"),
  };
  await eraseDeleted(deps, signal);
  return asked;
}

const AFTER = UNDO_MS + 2 * MINUTE_MS;
let owners = 0;

/** Another user who owns the account. */
async function newOwner(accountId: string) {
  const email = `owner-${++owners}@example.com`;
  await harness.accounts.createUser({ accountId, email, name: "Owner", password: PASSWORD });
  return email;
}

const accountOf = async (accountId: string) =>
  (await harness.accounts.getAccount({ accountId })).account;

describe("a deleted account", () => {
  it("refuses its keys and members, keeps its suspension, and is as before when it is restored", async () => {
    const { accounts } = harness;
    const { account: accountId, send } = await newMember();
    const { secret } = await accounts.createKey({ accountId, mode: 2, name: "" });
    await accounts.suspendAccount({ accountId });
    const before = await accountOf(accountId);
    for (let time = 0; time < 2; time++)
      expect((await accounts.deleteAccount({ accountId })).account?.restorableUntil).toBeDefined();
    const headers = { authorization: `Bearer ${secret}` };
    const message = expect.stringContaining("deleted");
    const refused = { status: 401, code: "revoked_api_key", message };
    expect(await errorOf(harness.send("/v1/models", { headers }))).toMatchObject(refused);
    for (const answer of [await send("GET", ""), await send("PATCH", "", { name: "New" })])
      expect(codeOf(answer)).toEqual([403, "account_deleted"]);
    await eraseAfter(UNDO_MS - MINUTE_MS);
    await accounts.restoreAccount({ accountId });
    expect(await accountOf(accountId)).toEqual(before);
    await eraseAfter(AFTER);
    await using sql = openPool(harness.databaseUrl);
    expect(await store.eraseAccountIfDeleted(sql, accountId, new Date(), 1_000)).toBe(true);
    expect(await accountOf(accountId)).toEqual(before);
    expect((await send("GET", "")).status).toBe(200);
  });

  it("is erased in the order of the services, whatever fails or is killed between two steps", async () => {
    const { account: accountId, email } = await newMember();
    const other = await newMember();
    await harness.accounts.createKey({ accountId, mode: 2, name: "deleted" });
    await harness.accounts.deleteAccount({ accountId });
    expect(await eraseAfter(AFTER, [false])).toEqual(["generation"]);
    expect(await eraseAfter(AFTER, [true, new Error("billing is down")])).toHaveLength(2);
    expect(await eraseAfter(AFTER, [true, true, false])).toHaveLength(3);
    // The rows of the gateway itself are still there.
    const rows = () => harness.owner`
      select account_id from gateway.memberships where account_id = ${accountId}
      union all select account_id from gateway.api_keys where account_id = ${accountId}`;
    expect(await rows()).toHaveLength(2);
    expect((await accountOf(accountId))?.erasedAt).toBeUndefined();
    await Promise.all([eraseAfter(AFTER), eraseAfter(AFTER)]);
    expect((await accountOf(accountId))?.erasedAt).toBeDefined();
    expect(await rows()).toHaveLength(0);
    const log = await harness.owner<{ entry: string }[]>`
      select a::text as entry from gateway.audit_log a where account_id = ${accountId}`;
    expect(log.length).toBeGreaterThan(1);
    expect(log.filter(({ entry }) => entry.includes(email))).toEqual([]);
    expect(await eraseAfter(AFTER)).toEqual([]);
    const restore = harness.accounts.restoreAccount({ accountId });
    expect(await reason(restore)).toBe(ErrorReason.INVALID_FIELD);
    expect((await other.send("GET", "")).status).toBe(200);
  });
});

describe("a deleted user", () => {
  it("is refused while an account has no other owner, and the message names the account", async () => {
    const { accounts } = harness;
    const { email, account: accountId } = await newMember();
    await expect(accounts.deleteUser({ email })).rejects.toThrow(accountId);
    const second = await newOwner(accountId);
    await accounts.deleteUser({ email });
    // The first owner does not count any more.
    await expect(accounts.deleteUser({ email: second })).rejects.toThrow(accountId);
    await accounts.deleteAccount({ accountId });
    await accounts.deleteUser({ email: second });
  });

  it("cannot sign in until restored, and stays disabled if that was before", async () => {
    const { accounts } = harness;
    const { email, userId: id, account: accountId, browser } = await newMember();
    await newOwner(accountId);
    const signIn = async () => codeOf(await newBrowser().signIn(email));
    const { restorableUntil } = await accounts.deleteUser({ email: id });
    expect(restorableUntil).toBeDefined();
    expect(await accounts.deleteUser({ email: id })).toMatchObject({ restorableUntil });
    expect(await signIn()).toEqual([403, "user_disabled"]);
    expect(await reason(accounts.enableUser({ email }))).toBe(ErrorReason.INVALID_FIELD);
    await accounts.restoreUser({ email });
    await using sql = openPool(harness.databaseUrl);
    await store.forgetUser(sql, id, { accountId: "", id: "" }, 1_000);
    await store.deleteUserIfDeleted(sql, id);
    const { actions } = await accounts.listActions({ accountId, limit: 100 });
    expect(actions.filter(({ details }) => details["email"] === email).length).toBeGreaterThan(2);
    expect(await signIn()).toEqual([200, undefined]);
    await browser.signIn(email);
    await accounts.deleteUser({ email });
    await accounts.restoreUser({ email });
    expect(await browser.user()).toBeUndefined();
    await accounts.disableUser({ email });
    await accounts.deleteUser({ email });
    await accounts.restoreUser({ email });
    expect(await signIn()).toEqual([403, "user_disabled"]);
    await harness.owner`
      update gateway.users set deleted_at = now() - interval '30 days' where id = ${id}`;
    expect(await reason(accounts.restoreUser({ email }))).toBe(ErrorReason.INVALID_FIELD);
  });

  it("is erased after 30 days; audit logs of accounts name a deleted user, and nothing else changes in them", async () => {
    const { accounts } = harness;
    const { email, userId: id, account: accountId, ...member } = await newMember();
    await member.send("PATCH", "", { name: "Renamed" });
    await member.send("POST", "/requests", { kind: "production", message: "I am Ada" });
    await (await newMember()).invite(email);
    const second = await newOwner(accountId);
    const log = () => harness.owner<{ id: string; action: string; entry: string }[]>`
      select id, action, a::text as entry from gateway.audit_log a
      where account_id = ${accountId} order by at, id`;
    await accounts.deleteUser({ email });
    const before = await log();
    expect(before.filter(({ entry }) => entry.includes(email)).length).toBeGreaterThan(2);
    await eraseAfter(UNDO_MS - MINUTE_MS);
    expect(await log()).toEqual(before);
    // Killed at once, and then by two replicas.
    await eraseAfter(AFTER, [], AbortSignal.abort());
    await Promise.all([eraseAfter(AFTER), eraseAfter(AFTER)]);
    const after = await log();
    expect(after.map(({ id: entry, action }) => [entry, action])).toEqual(
      before.map(({ id: entry, action }) => [entry, action]),
    );
    expect(after.filter(({ entry }) => entry.includes(email))).toEqual([]);
    expect(after.filter(({ entry }) => entry.includes("a deleted user")).length).toBeGreaterThan(2);
    const untouched = (rows: typeof before) => rows.filter(({ entry }) => entry.includes(second));
    expect(untouched(after)).toEqual(untouched(before));
    const rows = await harness.owner`
      select id from gateway.users where id = ${id}
      union all select email from gateway.invitations where email = ${email}
      union all select user_id from gateway.memberships where user_id = ${id}
      union all select user_id from gateway.user_logins where user_id = ${id}
      union all select user_id from gateway.account_requests where user_id = ${id} and (email = ${email} or message <> '')`;
    expect(rows).toEqual([]);
    expect(await reason(accounts.restoreUser({ email }))).toBe(ErrorReason.NOT_FOUND);
    // Who stays sees the log as before.
    const browser = newBrowser();
    await browser.signIn(second);
    const shown = await browser.get(`/accounts/${accountId}/audit-log`);
    expect(JSON.stringify(shown)).toContain("a deleted user");
  });
});
