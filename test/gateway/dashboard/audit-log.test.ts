/** The audit log, and who created keys, invitations and secrets. */
import { Code, ConnectError } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { openPool } from "../../support/database.ts";
import { MOVED_TIME } from "../harness.ts";
import { useDashboard, type Member } from "./browser.ts";

const { clock } = MOVED_TIME;
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const OWNER = "owner@example.com";
const DEVELOPER = "developer@example.com";
const GENERATION = "igen_2zjrwfavgwd8tj2ht7shw0cw42";

const { harness, joined, newBrowser, newMember, useMember } = useDashboard(MOVED_TIME);
const owner = useMember(OWNER);
let developer: Member;
let created_at: string;

beforeAll(async () => {
  created_at = clock.now().toISOString();
  developer = await joined(owner, DEVELOPER);
});

/** Each thing that is done has a time of its own. */
async function later<T>(work: () => Promise<T>): Promise<T> {
  clock.advance(1);
  return work();
}

const entries = (query?: string) => later(() => owner.auditLog(query));

const createKey = (by: Member, name: string) =>
  later(async () => {
    return (await by.send<"CreatedApiKey">("POST", "/keys", { name, mode: "test" })).body.key;
  });

const keys = async () => (await owner.get<"ApiKeyList">("/keys")).data;

describe("the audit log", () => {
  it("has who did what, when and from where, newest first", async () => {
    const { id } = await createKey(developer, "Laptop");
    await later(() => owner.send("PATCH", `/keys/${id}`, { name: "Notebook" }));
    for (const role of ["viewer", "developer"])
      await later(() => owner.send("PATCH", `/members/${developer.userId}`, { role }));
    const all = await entries();
    const of = (email: string, user_id: string) => ({
      actor: { type: "user", user_id, email },
      address: "127.0.0.1",
    });
    const [byOwner, byDeveloper] = [of(OWNER, owner.userId), of(DEVELOPER, developer.userId)];
    const target = developer.userId;
    const from = (role: string, to: string) => ({ email: DEVELOPER, from: role, to });
    const changed = { ...byOwner, action: "member.change_role", target };
    const renamed = { ...byOwner, action: "key.rename", target: id, mode: "test" };
    const invited = { email: DEVELOPER, role: "developer" };
    expect(all).toMatchObject([
      { ...changed, details: from("viewer", "developer") },
      { ...changed, details: from("developer", "viewer") },
      { ...renamed, details: { name: "Notebook" } },
      { ...byDeveloper, action: "key.create", details: { name: "Laptop" } },
      { ...byDeveloper, action: "member.join", target },
      { ...byOwner, action: "invitation.create", details: invited },
      { ...byOwner, action: "account.create", created_at },
    ]);
    const page = await entries("?limit=2");
    expect(page).toEqual(all.slice(0, 2));
    expect(await entries(`?limit=2&after=${page[1]?.id}`)).toEqual(all.slice(2, 4));
    expect(await entries("?action=key.create")).toEqual([all[3]]);
    const unknown = await owner.send("GET", "/audit-log?after=aud_2zjrwfavgwd8tj2ht7shw0cw42");
    expect([unknown.status, unknown.body.error.param]).toEqual([400, "after"]);
  });

  it("has what operators do, in this account only", async () => {
    const { accounts } = harness;
    const accountId = owner.account;
    await later(() => accounts.grantProduction({ accountId }));
    await later(() => accounts.setLimits({ accountId, createsPerMinute: 7 }));
    const request = { accountId, mode: Mode.LIVE };
    const { key } = await later(() => accounts.createKey({ ...request, name: "By ops" }));
    const target = key?.id ?? "";
    for (let time = 0; time < 2; time++)
      await later(() => accounts.revokeKey({ accountId, keyId: target }));
    const recharge = { ...request, action: "balance.recharge", details: { tokens: "500" } };
    await later(() => accounts.recordAction(recharge));
    await later(() => accounts.recordAction({ ...recharge, error: "refused" }));
    const found = await entries("?actor=operator");
    const recharged = { action: "balance.recharge", mode: "live", details: { tokens: "500" } };
    expect(found.map(({ actor }) => actor)).toEqual(found.map(() => ({ type: "operator" })));
    expect(found).toMatchObject([
      { ...recharged, error: "refused" },
      recharged,
      { action: "key.revoke", target, mode: "live", details: { name: "By ops" } },
      { action: "key.create", target },
      { action: "account.set_limits", details: { creates_per_minute: "7" } },
      { action: "account.grant_production" },
    ]);
    expect(found[1]?.error).toBeUndefined();
    const other = await (await newMember()).auditLog();
    expect(other.map(({ action }) => action)).toEqual(["account.create"]);
    const foreign = await owner.send("GET", `/audit-log?after=${other[0]?.id}`);
    expect(foreign.body.error.param).toBe("after");
    await accounts.setLimits({ accountId, createsPerMinute: 0 });
  });

  it.each([
    ["webhook_secret.rotate", "POST", "/webhooks/secret/rotate", "rotateWebhookSecret"],
    ["generation.delete", "DELETE", `/generations/${GENERATION}`, "deleteGeneration"],
  ] as const)("has a %s before it is made, and its failure", async (action, method, path, rpc) => {
    const change = () => later(() => owner.send(method, `${path}?mode=test`));
    expect((await change()).status).toBeLessThan(300);
    harness.backends[rpc] = () => {
      clock.advance(1);
      throw new ConnectError("down", Code.Unavailable);
    };
    expect((await change()).status).toBe(503);
    const found = await entries(`?action=${action}`);
    const of = (error?: string) => [owner.userId, "test", error];
    expect(found.map(({ actor, mode, error }) => [actor.user_id, mode, error])).toEqual([
      of("unavailable"),
      of(),
      of(),
    ]);
  });

  it("keeps no entry of a change that failed, and no change without its entry", async () => {
    const { id } = await createKey(owner, "Kept");
    const sql = harness.owner;
    await sql`
      create function gateway.refuse() returns trigger language plpgsql as 'begin raise exception ''full''; end'`;
    const whileRefusing = async (table: string, change: () => Promise<{ status: number }>) => {
      await sql.unsafe(
        `create trigger refuse before insert on gateway.${table} for each row execute function gateway.refuse()`,
      );
      expect((await change()).status).toBe(500);
      await sql.unsafe(`drop trigger refuse on gateway.${table}`);
    };
    const revoke = () => owner.send<"ApiKey">("DELETE", `/keys/${id}`);
    await whileRefusing("audit_log", revoke);
    const wanted = { email: "nobody@example.com", role: "viewer" };
    await whileRefusing("invitations", () => owner.send("POST", "/invitations", wanted));
    const invited = await entries("?action=invitation.create");
    expect(invited.map(({ details }) => details?.["email"])).toEqual([DEVELOPER]);
    expect((await entries("?action=key.revoke")).map(({ target }) => target)).not.toContain(id);
    expect((await revoke()).body.revoked_at).toBe(clock.now().toISOString());
  });

  it("cannot be changed by the service's own role, nor can accounts and the hashes of keys", async () => {
    await using sql = openPool(harness.databaseUrl);
    for (const statement of [
      "update gateway.audit_log set email = ''",
      "delete from gateway.audit_log",
      "truncate gateway.audit_log",
      "update gateway.accounts set created_at = now()",
      "delete from gateway.accounts",
      "update gateway.api_keys set hash = ''",
    ])
      await expect(sql.unsafe(statement)).rejects.toThrow("permission denied");
  });

  it("has what the service does without anybody: an invitation expires", async () => {
    const { id: target } = await owner.invite("late@example.com", "viewer");
    clock.advance(WEEK_MS + HOUR_MS);
    const expired = { action: "invitation.expire", target, actor: { type: "system" } };
    await expect.poll(async () => (await entries("?actor=system"))[0]).toMatchObject(expired);
  });
});

describe("who created something", () => {
  it("decides what a removal takes along: invitations always, keys on request", async () => {
    const second = await joined(owner, "second@example.com", "owner");
    const made = await second.invite("friend@example.com", "owner");
    const left = await createKey(second, "Second");
    expect((await owner.send("DELETE", `/members/${second.userId}`)).status).toBe(204);
    const { token } = made;
    const preview = await newBrowser().send("POST", "/invitations/retrieve", { token });
    expect(preview.status).toBe(404);

    const lost = await createKey(developer, "Lost");
    const kept = await createKey(owner, "Owner's");
    await owner.send("DELETE", `/members/${developer.userId}?keys=revoke`);
    const revoked = (await keys()).filter(({ revoked_at }) => revoked_at !== undefined);
    const ids = new Set(revoked.map(({ id }) => id));
    expect([lost, kept, left].map(({ id }) => ids.has(id))).toEqual([true, false, false]);
    const leaving = await joined(owner, "leaving@example.com", "viewer");
    expect((await leaving.send("DELETE", "/membership")).status).toBe(204);
    const found = await entries("?limit=100");
    const actor = { type: "user", email: "leaving@example.com" };
    for (const [target, entry] of [
      [made.id, { action: "invitation.withdraw" }],
      [lost.id, { action: "key.revoke" }],
      [leaving.userId, { action: "member.leave", actor }],
    ] as const) {
      expect(found.find((one) => one.target === target)).toMatchObject(entry);
    }
  });

  it("loses nothing of it in another account", async () => {
    const both = await newMember();
    const { token } = await owner.invite(both.email);
    await both.browser.send("POST", "/invitations/accept", { token });
    await createKey(both, "Own");
    const { id } = await both.invite("friend@example.com");
    expect((await owner.send("DELETE", `/invitations/${id}`)).status).toBe(404);
    expect((await owner.send("DELETE", `/members/${both.userId}?keys=revoke`)).status).toBe(204);
    const [own] = (await both.get<"ApiKeyList">("/keys")).data;
    expect(own).not.toHaveProperty("revoked_at");
    expect(await both.get("/invitations")).toMatchObject({ data: [{ id }] });
  });
});
