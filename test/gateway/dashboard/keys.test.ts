/** The dashboard's operations on API keys. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { LimitPeriod } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { insertTogether } from "../../support/waiting-sessions.ts";
import { MOVED_TIME } from "../harness.ts";
import { errorOf, headersOf, post } from "../requests.ts";
import { codeOf, useDashboard } from "./browser.ts";

const { clock } = MOVED_TIME;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const { harness, newMember, useMember } = useDashboard(MOVED_TIME);
const user = useMember();

const wanted = (fields: object = {}) => ({ name: "Server", mode: "test", ...fields });
const createKey = async (fields: object = {}) =>
  (await user.send<"CreatedApiKey">("POST", "/keys", wanted(fields))).body;
const refusalOf = async (fields: object) => {
  const { status, body } = await user.send("POST", "/keys", wanted(fields));
  return { status, code: body.error.code, param: body.error.param };
};
const listed = async () => (await user.get<"ApiKeyList">("/keys")).data;
const later = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();
const grantProduction = () => harness.accounts.grantProduction({ accountId: user.account });
const unavailable = () => {
  throw new ConnectError("away", Code.Unavailable);
};
/** The code of a refusal of the key, or 200. */
const use = async (secret: string) => {
  const response = await harness.send("/v1/balance", { headers: headersOf(secret) });
  return response.ok ? 200 : (await errorOf(response)).code;
};

describe("a key", () => {
  it("works until at most a second after it is revoked", async () => {
    const { key, secret } = await createKey();
    expect(await use(secret)).toBe(200);
    const revoked = await user.send<"ApiKey">("DELETE", `/keys/${key.id}`);
    expect(revoked.body.revoked_at).toBe(clock.now().toISOString());
    clock.advance(1_000);
    expect(await use(secret)).toBe("revoked_api_key");
    clock.advance(1_000);
    expect((await user.send("DELETE", `/keys/${key.id}`)).body).toMatchObject(revoked.body);
  });

  it("shows its secret only once: no row, no log line and no later response contains it", async () => {
    const { secret } = await createKey({ name: "Secret one" });
    await use(secret);
    const { owner } = harness;
    const tables = await owner<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'gateway'`;
    const rows = [];
    for (const { name } of tables)
      rows.push(...(await owner`select * from gateway.${owner(name)}`));
    expect(JSON.stringify(rows)).toContain("Secret one");
    const kept = JSON.stringify([rows, harness.logLines, await listed()]);
    expect(kept).not.toContain(secret.slice("mgs_test_".length));
    expect(kept).not.toContain(Buffer.from(secret).toString("hex"));
    const last_four = secret.slice(-4);
    expect(await listed()).toContainEqual(expect.objectContaining({ last_four }));
  });

  it("of live mode is refused with its reason until production is granted", async () => {
    const refused = { status: 403, code: "production_access_required" };
    expect(await refusalOf({ mode: "live" })).toMatchObject(refused);
    await grantProduction();
    expect((await createKey({ mode: "live" })).secret).toMatch(/^mgs_live_/);
  });

  it("is renamed, and expires when it shall", async () => {
    const expires_at = later(MINUTE_MS);
    const { key, secret } = await createKey({ expires_at });
    expect(key.expires_at).toBe(expires_at);
    const renamed = await user.send("PATCH", `/keys/${key.id}`, { name: "Laptop" });
    expect(renamed.body).toEqual({ ...key, name: "Laptop" });
    expect(await use(secret)).toBe(200);
    clock.advance(MINUTE_MS);
    expect(await use(secret)).toBe("expired_api_key");
    const past = { code: "out_of_range", param: "expires_at" };
    expect(await refusalOf({ expires_at })).toMatchObject(past);
  });

  it("is restricted, and changed in what it may do within a second", async () => {
    const permissions = { access: "full", kinds: ["image"], models: ["gamma-image-3.0-pro"] };
    const { key, secret } = await createKey({ name: "Narrow", permissions });
    expect(key.permissions).toEqual(permissions);
    expect(await listed()).toContainEqual(key);
    const video = post(secret, { model: "m", prompt: "a cat" });
    const create = () => harness.send("/v1/videos/generations", video);
    const refused = { code: "key_not_permitted" };
    expect(await errorOf(create())).toMatchObject(refused);
    const path = `/keys/${key.id}`;
    const set = (access: string) => user.send("PUT", `${path}/permissions`, { access });
    const full = { id: key.id, permissions: { access: "full" } };
    expect((await set("full")).body).toMatchObject(full);
    clock.advance(1_000);
    expect((await create()).status).toBe(202);
    await set("read");
    clock.advance(1_000);
    expect(await errorOf(create())).toMatchObject(refused);
    await user.send("DELETE", path);
    expect(codeOf(await set("full"))).toEqual([404, "key_not_found"]);
    const [entry] = await user.auditLog("?action=key.set_permissions");
    expect(entry).toMatchObject({ target: key.id, details: { name: "Narrow", access: "read" } });
  });

  it.each([
    [{ permissions: { access: "read", kinds: ["image"] } }, "permissions.kinds"],
    [{ permissions: { access: "read", models: ["m"] } }, "permissions.models"],
    [{ limits: { day: 5 } }, "limits"],
  ])("is refused with what it cannot have: %j", async (fields, param) => {
    expect(await refusalOf(fields)).toEqual({ status: 400, code: "invalid_value", param });
  });

  it("of live mode is created with its limits of Tokens or not at all", async () => {
    await grantProduction();
    const live = { mode: "live", limits: { day: 500, month: 9_000 } };
    const { key } = await createKey(live);
    const limits = { dayTokens: 500n, monthTokens: 9_000n };
    const asked = { accountId: user.account, keyId: key.id, ...limits };
    expect(harness.requestsTo("setTokenLimits")).toMatchObject([asked]);
    harness.backends.setTokenLimits = unavailable;
    expect((await refusalOf({ ...live, name: "Unlimited" })).status).toBe(503);
    expect((await listed()).map(({ name }) => name)).not.toContain("Unlimited");
  });

  it("shows within a minute when it was used, with one write for all of its requests", async () => {
    const { key, secret } = await createKey({ name: "Used" });
    const usedAt = async () => (await listed()).find(({ id }) => id === key.id)?.last_used_at;
    const expected = clock.now().toISOString();
    await Promise.all([use(secret), use(secret), use(secret)]);
    expect(await usedAt()).toBeUndefined();
    clock.advance(MINUTE_MS);
    await expect.poll(usedAt).toBe(expected);
  });

  it("of another account cannot be renamed or revoked", async () => {
    const other = await harness.newKey();
    const [key] = (await harness.accounts.listKeys({ accountId: other.accountId })).keys;
    const path = `/keys/${key?.id}`;
    const absent = [404, "key_not_found"];
    expect(codeOf(await user.send("PATCH", path, { name: "Mine" }))).toEqual(absent);
    expect(codeOf(await user.send("DELETE", path))).toEqual(absent);
    expect(await use(other.secret)).toBe(200);
  });
});

describe("a key that is replaced by a new one", () => {
  const roll = async (id: string, grace_hours: number) =>
    (await user.send<"CreatedApiKey">("POST", `/keys/${id}/roll`, { grace_hours })).body;

  it("gives it name, mode, permissions and lifetime, and works for the chosen time", async () => {
    const permissions = { access: "full", kinds: ["image"], models: ["m"] };
    const expires_at = later(48 * HOUR_MS);
    const old = await createKey({ name: "Rolled", permissions, expires_at });
    clock.advance(HOUR_MS);
    const { key, secret } = await roll(old.key.id, 24);
    const until = later(24 * HOUR_MS);
    const kept = { name: "Rolled", mode: "test", permissions, expires_at: later(48 * HOUR_MS) };
    expect(key).toMatchObject(kept);
    for (const one of [key, { ...old.key, expires_at: until }])
      expect(await listed()).toContainEqual(one);
    const details = { name: "Rolled", new_key: key.id, works_until: until };
    const [entry] = await user.auditLog("?action=key.roll");
    expect(entry).toMatchObject({ target: old.key.id, details });
    expect(await use(old.secret)).toBe(200);
    clock.advance(24 * HOUR_MS);
    expect([await use(old.secret), await use(secret)]).toEqual(["expired_api_key", 200]);
  });

  it("never works for longer than it would have", async () => {
    const { key } = await createKey({ name: "Short", expires_at: later(HOUR_MS) });
    await roll(key.id, 168);
    expect(await listed()).toContainEqual(key);
  });

  it("is revoked where it shall not work any more, and is then not found", async () => {
    const old = await createKey({ name: "Leaked" });
    const { key, secret } = await roll(old.key.id, 0);
    expect(key.expires_at).toBeUndefined();
    clock.advance(1_000);
    expect([await use(old.secret), await use(secret)]).toEqual(["revoked_api_key", 200]);
    const again = await user.send("POST", `/keys/${old.key.id}/roll`, { grace_hours: 0 });
    expect(codeOf(again)).toEqual([404, "key_not_found"]);
  });

  it("hands on the limits of a live key, and nothing changes where they cannot be set", async () => {
    await grantProduction();
    let limited = (await createKey({ name: "Live", mode: "live" })).key.id;
    const resetsAt = timestampFromDate(clock.now());
    const other = { keyId: "key_1", period: LimitPeriod.MONTH, tokens: 1n, resetsAt };
    harness.backends.getTokenLimits = () => ({
      limits: [{ keyId: limited, period: LimitPeriod.DAY, tokens: 5n, resetsAt }, other],
    });
    const { key } = await roll(limited, 1);
    const set = harness.requestsTo("setTokenLimits").at(-1);
    expect(set).toMatchObject({ keyId: key.id, dayTokens: 5n });
    expect(set).not.toHaveProperty("monthTokens");
    harness.backends.setTokenLimits = unavailable;
    limited = key.id;
    const before = await listed();
    const refused = await user.send("POST", `/keys/${key.id}/roll`, { grace_hours: 0 });
    expect(refused.status).toBe(503);
    expect(await listed()).toEqual(before);
  });
});

it("the limits of keys, invitations and accounts hold when creates run at the same time", async () => {
  const { owner } = harness;
  const { browser, account, userId } = await newMember();
  await owner`
    insert into gateway.api_keys (account_id, id, mode, name, hash, prefix, last_four, created_at, created_by)
    select ${account}, 'key_' || n, 'test', 'Full', sha256(convert_to(${account} || n, 'UTF8')), 'mgs_test_', '0000',
      now(), ${userId}
    from generate_series(1, 98) n`;
  await owner`
    insert into gateway.invitations (account_id, id, email, role, token_hash, is_mailed, created_at, created_by,
      expires_at)
    select ${account}, 'inv_' || n, n || '@example.com', 'developer', sha256(convert_to(${account} || n, 'UTF8')),
      true, now(), ${userId}, ${later(HOUR_MS)}
    from generate_series(1, 98) n`;
  for (let n = 0; n < 7; n++) await browser.send("POST", "/accounts", { name: "One more" });
  const invitee = (n: number) => ({ email: `person-${n}@example.org`, role: "developer" });
  const of = `/accounts/${account}`;
  for (const [table, path, body, column, value, most] of [
    ["api_keys", `${of}/keys`, () => wanted(), "account_id", account, 100],
    ["invitations", `${of}/invitations`, invitee, "account_id", account, 100],
    ["memberships", "/accounts", () => ({ name: "One more" }), "user_id", userId, 10],
  ] as const) {
    const creates = [0, 1, 2].map((n) => () => browser.send("POST", path, body(n)));
    const answers = await insertTogether(owner, `gateway.${table}`, creates);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 409]);
    const rows = await owner`
      select 1 as one from gateway.${owner(table)} where ${owner(column)} = ${value}`;
    expect(rows).toHaveLength(most);
  }
  await owner`update gateway.api_keys set revoked_at = now() where account_id = ${account} and id = 'key_1'`;
  expect((await browser.send("POST", `${of}/keys`, wanted())).status).toBe(201);
});
