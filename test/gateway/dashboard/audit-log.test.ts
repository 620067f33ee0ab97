/** The audit log, and who created keys, invitations and secrets. */
import { beforeAll, describe, expect, it } from "vitest";
import { ConnectError, Code } from "@connectrpc/connect";
import postgres from "postgres";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { manualClock } from "../../support/manual-clock.ts";
import {
  accountOf,
  invitationToken,
  newBrowser,
  PASSWORD,
  type Browser,
  type Schemas,
} from "./browser.ts";
import { useHarness } from "../harness.ts";

const clock = manualClock("2026-11-21T12:00:00.000Z");
const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const OWNER = "owner@example.com";
const DEVELOPER = "developer@example.com";
const GENERATION = "igen_2zjrwfavgwd8tj2ht7shw0cw42";

const harness = useHarness({ clock });

let owner: Browser;
let developer: Browser;
let account: string;
let ownerId: string;
let developerId: string;

beforeAll(async () => {
  owner = newBrowser(harness);
  const session = await owner.signUp(OWNER);
  account = accountOf(session);
  ownerId = session.user?.id ?? "";
  developer = newBrowser(harness);
  const { url } = (await invite(DEVELOPER, "developer")).body;
  developerId = (await developer.signUp(DEVELOPER, invitationToken(url))).user?.id ?? "";
});

const at = (path: string) => `/accounts/${account}${path}`;

const invite = (email: string, role: string) =>
  owner.send<Schemas["CreatedInvitation"]>("POST", at("/invitations"), {
    email,
    role,
    ...(role === "owner" ? { current_password: PASSWORD } : {}),
  });

async function entries(query = ""): Promise<Schemas["AuditEntry"][]> {
  clock.advance(1);
  const { body } = await owner.send<Schemas["AuditEntryList"]>("GET", at(`/audit-log${query}`));
  return body.data;
}

async function createKey(browser: Browser, name: string) {
  clock.advance(1);
  const wanted = { name, mode: "test" };
  return (await browser.send<Schemas["CreatedApiKey"]>("POST", at("/keys"), wanted)).body;
}

describe("the audit log", () => {
  it("has who did what, when and from where, newest first", async () => {
    const { key } = await createKey(developer, "Laptop");
    clock.advance(1);
    await owner.send("PATCH", at(`/keys/${key.id}`), { name: "Notebook" });
    clock.advance(1);
    await owner.send("PATCH", at(`/members/${developerId}`), { role: "viewer" });
    clock.advance(1);
    await owner.send("PATCH", at(`/members/${developerId}`), { role: "developer" });
    const all = await entries();
    const of = (email: string, userId: string) => ({
      actor: { type: "user", user_id: userId, email },
      address: "127.0.0.1",
    });
    expect(all).toMatchObject([
      { action: "member.change_role", details: { from: "viewer", to: "developer" } },
      {
        action: "member.change_role",
        target: developerId,
        details: { email: DEVELOPER, from: "developer", to: "viewer" },
      },
      {
        ...of(OWNER, ownerId),
        action: "key.rename",
        target: key.id,
        mode: "test",
        details: { name: "Notebook" },
      },
      { ...of(DEVELOPER, developerId), action: "key.create", details: { name: "Laptop" } },
      { ...of(DEVELOPER, developerId), action: "member.join", target: developerId },
      { action: "invitation.create", details: { email: DEVELOPER, role: "developer" } },
      { ...of(OWNER, ownerId), action: "account.create", created_at: "2026-11-21T12:00:00.000Z" },
    ]);
    const page = await entries("?limit=2");
    expect(page).toEqual(all.slice(0, 2));
    expect(await entries(`?limit=2&after=${page[1]?.id}`)).toEqual(all.slice(2, 4));
    expect(await entries("?action=key.create")).toEqual([all[3]]);
    const unknown = await owner.send("GET", at("/audit-log?after=aud_2zjrwfavgwd8tj2ht7shw0cw42"));
    expect([unknown.status, unknown.body.error.param]).toEqual([400, "after"]);
  });

  it("has what operators do, in this account only", async () => {
    clock.advance(1);
    await harness.accounts.grantProduction({ accountId: account });
    clock.advance(1);
    await harness.accounts.setLimits({ accountId: account, createsPerMinute: 7 });
    clock.advance(1);
    const request = { accountId: account, mode: Mode.LIVE };
    const { key } = await harness.accounts.createKey({ ...request, name: "By ops" });
    clock.advance(1);
    const revoke = { accountId: account, keyId: key?.id ?? "" };
    await harness.accounts.revokeKey(revoke);
    await harness.accounts.revokeKey(revoke);
    clock.advance(1);
    const recharge = { ...request, action: "balance.recharge", details: { tokens: "500" } };
    await harness.accounts.recordAction(recharge);
    clock.advance(1);
    await harness.accounts.recordAction({ ...recharge, error: "refused" });
    const found = await entries("?actor=operator");
    expect(found.map(({ actor }) => actor)).toEqual(found.map(() => ({ type: "operator" })));
    expect(found).toMatchObject([
      { action: "balance.recharge", mode: "live", details: { tokens: "500" }, error: "refused" },
      { action: "balance.recharge", mode: "live", details: { tokens: "500" } },
      { action: "key.revoke", target: key?.id, mode: "live", details: { name: "By ops" } },
      { action: "key.create", target: key?.id },
      { action: "account.set_limits", details: { creates_per_minute: "7" } },
      { action: "account.grant_production" },
    ]);
    expect(found[1]?.error).toBeUndefined();
    const other = newBrowser(harness);
    const own = accountOf(await other.signUp());
    const path = `/accounts/${own}/audit-log`;
    const { body } = await other.send<Schemas["AuditEntryList"]>("GET", path);
    expect(body.data.map(({ action }) => action)).toEqual(["account.create"]);
    await harness.accounts.setLimits({ accountId: account, createsPerMinute: 0 });
  });

  it.each([
    ["webhook_secret.rotate", "POST", "/webhooks/secret/rotate", "rotateWebhookSecret"],
    ["generation.delete", "DELETE", `/generations/${GENERATION}`, "deleteGeneration"],
  ] as const)("has a %s before it is made, and its failure", async (action, method, path, rpc) => {
    clock.advance(1);
    expect((await owner.send(method, at(`${path}?mode=test`))).status).toBeLessThan(300);
    harness.backends[rpc] = () => {
      clock.advance(1);
      throw new ConnectError("down", Code.Unavailable);
    };
    clock.advance(1);
    expect((await owner.send(method, at(`${path}?mode=test`))).status).toBe(503);
    const found = await entries(`?action=${action}`);
    expect(found.map(({ actor, mode, error }) => [actor.user_id, mode, error])).toEqual([
      [ownerId, "test", "unavailable"],
      [ownerId, "test", undefined],
      [ownerId, "test", undefined],
    ]);
  });

  it("keeps no entry of a change that failed, and no change without its entry", async () => {
    const { key } = await createKey(owner, "Kept");
    await harness.owner`
      create function gateway.refuse() returns trigger language plpgsql as 'begin raise exception ''full''; end'`;
    await harness.owner`
      create trigger refuse before insert on gateway.audit_log for each row execute function gateway.refuse()`;
    const revoke = () => owner.send<Schemas["ApiKey"]>("DELETE", at(`/keys/${key.id}`));
    expect((await revoke()).status).toBe(500);
    await harness.owner`drop trigger refuse on gateway.audit_log`;
    await harness.owner`
      create trigger refuse before insert on gateway.invitations for each row execute function gateway.refuse()`;
    expect((await invite("nobody@example.com", "viewer")).status).toBe(500);
    await harness.owner`drop trigger refuse on gateway.invitations`;
    const invited = await entries("?action=invitation.create");
    expect(invited.map(({ details }) => details?.["email"])).toEqual([DEVELOPER]);
    expect((await entries("?action=key.revoke")).map(({ target }) => target)).not.toContain(key.id);
    const revoked = await revoke();
    expect(revoked.body.revoked_at).toBe(clock.now().toISOString());
  });

  it("cannot be changed by the service's own role", async () => {
    const sql = postgres(harness.databaseUrl, { max: 1 });
    try {
      for (const statement of [
        "update gateway.audit_log set email = ''",
        "delete from gateway.audit_log",
        "truncate gateway.audit_log",
      ]) {
        await expect(sql.unsafe(statement)).rejects.toThrow("permission denied");
      }
    } finally {
      await sql.end();
    }
  });

  it("is filtered by time, together with what was done and by whom", async () => {
    const early = (await createKey(owner, "Early")).key.id;
    const between = clock.now().toISOString();
    clock.advance(1);
    const late = (await createKey(owner, "Late")).key.id;
    const filter = "action=key.create&actor=user";
    const targets = async (time: string) =>
      (await entries(`?${filter}&${time}=${between}`)).map(({ target }) => target);
    expect(await targets("created_after")).toEqual([late]);
    expect(await targets("created_before")).not.toContain(early);
    const until = new Date(Date.parse(between) + 1).toISOString();
    const within = `${filter}&created_after=${between}&created_before=${until}`;
    expect(await entries(`?${within}`)).toEqual([]);
    expect((await entries(`?created_before=${until}`))[0]?.target).toBe(early);
  });

  it("has what the service does without anybody: an invitation expires", async () => {
    const { invitation } = (await invite("late@example.com", "viewer")).body;
    clock.advance(WEEK_MS + HOUR_MS);
    await expect
      .poll(async () => (await entries("?actor=system"))[0])
      .toMatchObject({
        action: "invitation.expire",
        target: invitation.id,
        actor: { type: "system" },
      });
  });
});

describe("who created something", () => {
  it("is shown of keys, invitations and rotated secrets", async () => {
    const creator = { type: "user", user_id: developerId, name: "Person" };
    const { key } = await createKey(developer, "Mine");
    expect(key.created_by).toEqual(creator);
    const list = await owner.send<Schemas["ApiKeyList"]>("GET", at("/keys"));
    expect(list.body.data.find(({ id }) => id === key.id)?.created_by).toEqual(creator);
    expect(list.body.data.find(({ name }) => name === "By ops")?.created_by).toEqual({
      type: "operator",
    });
    const { invitation } = (await invite("new@example.com", "viewer")).body;
    expect(invitation.created_by).toMatchObject({ user_id: ownerId });
    const path = at("/webhooks/secret/rotate?mode=test");
    const rotated = await owner.send<Schemas["WebhookSecret"]>("POST", path);
    expect(rotated.body.created_by).toEqual({ type: "user", user_id: ownerId, name: "Person" });
  });

  it("decides what a removal takes along: invitations always, keys on request", async () => {
    const second = newBrowser(harness);
    const { url } = (await invite("second@example.com", "owner")).body;
    const { user } = await second.signUp("second@example.com", invitationToken(url));
    const wanted = { email: "friend@example.com", role: "owner", current_password: PASSWORD };
    const made = await second.send<Schemas["CreatedInvitation"]>(
      "POST",
      at("/invitations"),
      wanted,
    );
    const { key } = await createKey(second, "Second");
    const path = at(`/members/${user?.id}`);
    expect((await owner.send("DELETE", path)).status).toBe(204);
    const token = invitationToken(made.body.url);
    const preview = await newBrowser(harness).send("POST", "/invitations/retrieve", { token });
    expect(preview.status).toBe(404);
    const keys = await owner.send<Schemas["ApiKeyList"]>("GET", at("/keys"));
    expect(keys.body.data.find(({ id }) => id === key.id)?.revoked_at).toBeUndefined();

    const { key: lost } = await createKey(developer, "Lost");
    const { key: kept } = await createKey(owner, "Owner's");
    await owner.send("DELETE", at(`/members/${developerId}?keys=revoke`));
    const after = await owner.send<Schemas["ApiKeyList"]>("GET", at("/keys"));
    const isRevoked = (id: string) =>
      after.body.data.find((other) => other.id === id)?.revoked_at !== undefined;
    expect([isRevoked(lost.id), isRevoked(kept.id), isRevoked(key.id)]).toEqual([
      true,
      false,
      false,
    ]);
    const leaving = newBrowser(harness);
    const { url: link } = (await invite("leaving@example.com", "viewer")).body;
    const { user: left } = await leaving.signUp("leaving@example.com", invitationToken(link));
    expect((await leaving.send("DELETE", at("/membership"))).status).toBe(204);
    const found = await entries("?limit=100");
    expect(found.find(({ target }) => target === made.body.invitation.id)).toMatchObject({
      action: "invitation.withdraw",
    });
    expect(found.find(({ target }) => target === lost.id)).toMatchObject({ action: "key.revoke" });
    expect(found.find(({ target }) => target === left?.id)).toMatchObject({
      action: "member.leave",
      actor: { type: "user", email: "leaving@example.com" },
    });
  });
});
