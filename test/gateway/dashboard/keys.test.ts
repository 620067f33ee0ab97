/** The dashboard's operations on API keys. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  AlertSettingsSchema,
  LimitPeriod,
  TokenLimitSchema,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { accountOf, newBrowser, useSignedUpBrowser, type Schemas, codeOf } from "./browser.ts";
import { useHarness } from "../harness.ts";
import { insertTogether } from "../../support/waiting-sessions.ts";
import { errorOf, headersOf, post, type ErrorAnswer } from "../requests.ts";

const clock = manualClock("2026-11-21T12:00:00.000Z");

const harness = useHarness({ clock });
const user = useSignedUpBrowser(harness);

const createKey = async (fields: object = {}) => {
  const body = { name: "Server", mode: "test", ...fields };
  return user.send<Schemas["CreatedApiKey"]>("POST", "/keys", body);
};
const listed = async () => {
  const { body } = await user.send<Schemas["ApiKeyList"]>("GET", "/keys");
  return body.data;
};
const use = (secret: string) => harness.send("/v1/balance", { headers: headersOf(secret) });

const countOf = async (table: string, column: string, value: string) => {
  const { owner } = harness;
  const rows = await owner`
    select 1 as one from gateway.${owner(table)} where ${owner(column)} = ${value}`;
  return rows.length;
};

describe("the dashboard", () => {
  it("creates a key that works until at most a second after it is revoked", async () => {
    const { status, body } = await createKey();
    expect(status).toBe(201);
    expect((await use(body.secret)).status).toBe(200);
    const path = `/keys/${body.key.id}`;
    const revoked = await user.send<Schemas["ApiKey"]>("DELETE", path);
    expect(revoked.body.revoked_at).toBe(clock.now().toISOString());
    clock.advance(1_000);
    const refused = await use(body.secret);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([401, "revoked_api_key"]);
    clock.advance(1_000);
    const again = await user.send<Schemas["ApiKey"]>("DELETE", path);
    expect(again.body).toEqual(revoked.body);
  });

  it("shows a key's secret only once: no row, no log line and no later response contains it", async () => {
    const { body } = await createKey({ name: "Secret one" });
    await use(body.secret);
    const secretPart = body.secret.slice("mgs_test_".length);
    const tables = await harness.owner<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'gateway'`;
    const rows = [];
    for (const { name } of tables)
      rows.push(...(await harness.owner`select * from gateway.${harness.owner(name)}`));
    const kept = JSON.stringify(rows);
    expect(kept).toContain("Secret one");
    expect(kept).not.toContain(secretPart);
    expect(kept).not.toContain(Buffer.from(body.secret).toString("hex"));
    expect(JSON.stringify(harness.logLines)).not.toContain(secretPart);
    expect(JSON.stringify(await listed())).not.toContain(secretPart);
    expect(await listed()).toContainEqual(
      expect.objectContaining({ last_four: body.secret.slice(-4) }),
    );
  });

  it("refuses a live key with its reason until production is granted", async () => {
    const refused = await user.send("POST", "/keys", {
      name: "Live",
      mode: "live",
    });
    expect(codeOf(refused)).toEqual([403, "production_access_required"]);
    await harness.accounts.grantProduction({ accountId: user.account });
    const { status, body } = await createKey({ mode: "live" });
    expect(status).toBe(201);
    expect(body.secret).toMatch(/^mgs_live_/);
  });

  it("renames keys and creates keys that expire", async () => {
    const expires_at = new Date(clock.now().getTime() + 60_000).toISOString();
    const { body } = await createKey({ expires_at });
    expect(body.key.expires_at).toBe(expires_at);
    const path = `/keys/${body.key.id}`;
    const renamed = await user.send<Schemas["ApiKey"]>("PATCH", path, { name: "Laptop" });
    expect(renamed.body).toEqual({ ...body.key, name: "Laptop" });
    expect((await use(body.secret)).status).toBe(200);
    clock.advance(60_000);
    expect((await errorOf(await use(body.secret))).code).toBe("expired_api_key");
    const past = await user.send("POST", "/keys", {
      name: "Past",
      mode: "test",
      expires_at,
    });
    expect(past.body.error).toMatchObject({ code: "out_of_range", param: "expires_at" });
  });

  it("creates restricted keys and changes what they may do within a second", async () => {
    const wanted = { access: "full", kinds: ["image"], models: ["gamma-image-3.0-pro"] };
    const { body } = await createKey({ name: "Narrow", permissions: wanted });
    expect(body.key.permissions).toEqual(wanted);
    expect(await listed()).toContainEqual(body.key);
    const create = () =>
      harness.send("/v1/videos/generations", post(body.secret, { model: "m", prompt: "a cat" }));
    expect((await errorOf(await create())).code).toBe("key_not_permitted");
    const path = `/keys/${body.key.id}`;
    const full = await user.send<Schemas["ApiKey"]>("PUT", `${path}/permissions`, {
      access: "full",
    });
    expect(full.body).toMatchObject({ id: body.key.id, permissions: { access: "full" } });
    clock.advance(1_000);
    expect((await create()).status).toBe(202);
    await user.send("PUT", `${path}/permissions`, { access: "read" });
    clock.advance(1_000);
    expect((await errorOf(await create())).code).toBe("key_not_permitted");
    await user.send("DELETE", path);
    const revoked = await user.send("PUT", `${path}/permissions`, { access: "full" });
    expect(codeOf(revoked)).toEqual([404, "key_not_found"]);
    const [entry] = (
      await user.send<Schemas["AuditEntryList"]>("GET", "/audit-log?action=key.set_permissions")
    ).body.data;
    expect(entry).toMatchObject({
      target: body.key.id,
      details: { name: "Narrow", access: "read" },
    });
  });

  it("refuses kinds and models of a key that only reads", async () => {
    for (const [name, value] of [
      ["kinds", ["image"]],
      ["models", ["m"]],
    ] as const) {
      const permissions = { access: "read", [name]: value };
      const { status, body } = await createKey({ permissions });
      expect([status, (body as unknown as ErrorAnswer).error]).toMatchObject([
        400,
        { code: "invalid_value", param: `permissions.${name}` },
      ]);
    }
  });

  it("creates a live key with its limits of Tokens or not at all, and none with limits for test mode", async () => {
    const test = await createKey({ limits: { day: 5 } });
    expect([test.status, (test.body as unknown as ErrorAnswer).error]).toMatchObject([
      400,
      { code: "invalid_value", param: "limits" },
    ]);
    await harness.accounts.grantProduction({ accountId: user.account });
    const live = { name: "Limited", mode: "live", limits: { day: 500, month: 9_000 } };
    const { status, body } = await createKey(live);
    expect(status).toBe(201);
    const set = () => harness.calls.filter(({ method }) => method === "setTokenLimits");
    expect(set().at(-1)?.request).toMatchObject({
      accountId: user.account,
      keyId: body.key.id,
      dayTokens: 500n,
      monthTokens: 9_000n,
    });
    harness.backends.setTokenLimits = () => {
      throw new ConnectError("away", Code.Unavailable);
    };
    expect((await createKey({ ...live, name: "Unlimited" })).status).toBe(503);
    expect((await listed()).map(({ name }) => name)).not.toContain("Unlimited");
  });

  describe("that replaces a key by a new one", () => {
    const HOUR_MS = 3_600_000;
    const roll = (id: string, graceHours: number) =>
      user.send<Schemas["CreatedApiKey"]>("POST", `/keys/${id}/roll`, { grace_hours: graceHours });
    const entriesOf = async (action: string) =>
      (await user.send<Schemas["AuditEntryList"]>("GET", `/audit-log?action=${action}`)).body.data;
    const later = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();

    it("keeps name, mode, permissions and lifetime, and lets the old one work for the chosen time", async () => {
      const permissions = { access: "full", kinds: ["image"], models: ["m"] };
      const expires_at = later(48 * HOUR_MS);
      const old = (await createKey({ name: "Rolled", permissions, expires_at })).body;
      clock.advance(HOUR_MS);
      const { status, body } = await roll(old.key.id, 24);
      expect(status).toBe(201);
      expect(body.key).toMatchObject({ name: "Rolled", mode: "test", permissions });
      expect(body.key.expires_at).toBe(later(48 * HOUR_MS));
      expect(await listed()).toEqual(
        expect.arrayContaining([body.key, { ...old.key, expires_at: later(24 * HOUR_MS) }]),
      );
      expect((await entriesOf("key.roll"))[0]).toMatchObject({
        target: old.key.id,
        details: { name: "Rolled", new_key: body.key.id, works_until: later(24 * HOUR_MS) },
      });
      expect((await use(old.secret)).status).toBe(200);
      clock.advance(24 * HOUR_MS);
      expect((await errorOf(await use(old.secret))).code).toBe("expired_api_key");
      expect((await use(body.secret)).status).toBe(200);
    });

    it("never lets the old one work for longer than it would have", async () => {
      const expires_at = later(HOUR_MS);
      const { key } = (await createKey({ name: "Short", expires_at })).body;
      await roll(key.id, 168);
      expect(await listed()).toContainEqual({ ...key, expires_at });
    });

    it("revokes the old one where it shall not work any more, and a revoked one is not found", async () => {
      const old = (await createKey({ name: "Leaked" })).body;
      const { body } = await roll(old.key.id, 0);
      expect(body.key.expires_at).toBeUndefined();
      clock.advance(1_000);
      expect((await errorOf(await use(old.secret))).code).toBe("revoked_api_key");
      expect((await use(body.secret)).status).toBe(200);
      const again = await roll(old.key.id, 0);
      expect([again.status, (again.body as unknown as ErrorAnswer).error.code]).toEqual([
        404,
        "key_not_found",
      ]);
    });

    it("keeps the limits of a live key, and changes nothing where they cannot be set", async () => {
      await harness.accounts.grantProduction({ accountId: user.account });
      harness.backends.setTokenLimits = () => ({});
      const old = (await createKey({ name: "Live", mode: "live" })).body;
      let limited = old.key.id;
      const limitOf = (keyId: string, period: LimitPeriod, tokens: bigint) =>
        create(TokenLimitSchema, {
          keyId,
          period,
          tokens,
          resetsAt: timestampFromDate(clock.now()),
        });
      harness.backends.getTokenLimits = () => ({
        limits: [
          limitOf(limited, LimitPeriod.DAY, 500n),
          limitOf("key_other", LimitPeriod.MONTH, 1n),
        ],
        alerts: create(AlertSettingsSchema, {}),
      });
      const { body } = await roll(old.key.id, 1);
      const set = harness.calls.findLast(({ method }) => method === "setTokenLimits");
      expect(set?.request).toMatchObject({ keyId: body.key.id, dayTokens: 500n });
      expect(set?.request).not.toHaveProperty("monthTokens");
      harness.backends.setTokenLimits = () => {
        throw new ConnectError("away", Code.Unavailable);
      };
      limited = body.key.id;
      const before = await listed();
      expect((await roll(body.key.id, 0)).status).toBe(503);
      expect(await listed()).toEqual(before);
    });
  });

  it("shows within a minute when a key was used, with one write for all of its requests", async () => {
    const { body } = await createKey({ name: "Used" });
    const row = async () => (await listed()).find(({ id }) => id === body.key.id);
    expect((await row())?.last_used_at).toBeUndefined();
    const usedAt = clock.now().toISOString();
    await Promise.all([use(body.secret), use(body.secret), use(body.secret)]);
    expect((await row())?.last_used_at).toBeUndefined();
    clock.advance(60_000);
    await expect.poll(async () => (await row())?.last_used_at).toBe(usedAt);
  });

  it("cannot rename or revoke a key of another account", async () => {
    const other = await harness.newKey();
    const [key] = (await harness.accounts.listKeys({ accountId: other.accountId })).keys;
    const path = `/keys/${key?.id ?? ""}`;
    for (const method of ["PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { name: "Mine" } : undefined;
      const answer = await user.send(method, path, body);
      expect(codeOf(answer)).toEqual([404, "key_not_found"]);
    }
    expect((await use(other.secret)).status).toBe(200);
  });

  it("keeps the limits of keys, invitations and accounts when creates run at the same time", async () => {
    const browser = newBrowser(harness);
    const session = await browser.signUp();
    const account = accountOf(session);
    const userId = session.user?.id ?? "";
    await harness.owner`
      insert into gateway.api_keys (account_id, id, mode, name, hash, prefix, last_four, created_at, created_by)
      select ${account}, 'key_' || n, 'test', 'Full', sha256(convert_to(${account} || n, 'UTF8')), 'mgs_test_', '0000',
        now(), ${userId}
      from generate_series(1, 98) n`;
    await harness.owner`
      insert into gateway.invitations (account_id, id, email, role, token_hash, is_mailed, created_at, created_by,
        expires_at)
      select ${account}, 'inv_' || n, n || '@example.com', 'developer', sha256(convert_to(${account} || n, 'UTF8')),
        true, now(), ${userId}, timestamptz '2026-12-01'
      from generate_series(1, 98) n`;
    for (let n = 0; n < 7; n++) await browser.send("POST", "/accounts", { name: "One more" });
    const kinds = [
      ["api_keys", `/accounts/${account}/keys`, () => ({ name: "Server", mode: "test" })],
      [
        "invitations",
        `/accounts/${account}/invitations`,
        (n: number) => ({ email: `person-${n}@example.org`, role: "developer" }),
      ],
      ["memberships", "/accounts", () => ({ name: "One more" })],
    ] as const;
    for (const [table, path, wanted] of kinds) {
      const send = (n: number) => browser.send("POST", path, wanted(n));
      const answers = await insertTogether(
        harness.owner,
        `gateway.${table}`,
        [0, 1, 2].map((n) => () => send(n)),
      );
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([201, 201, 409]);
    }
    expect(await countOf("api_keys", "account_id", account)).toBe(100);
    expect(await countOf("invitations", "account_id", account)).toBe(100);
    expect(await countOf("memberships", "user_id", userId)).toBe(10);
  });
});
