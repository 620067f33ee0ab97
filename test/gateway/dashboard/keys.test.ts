import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manualClock } from "../../support/manual-clock.ts";
import { accountOf, newBrowser } from "./browser.ts";
import type { Browser, Schemas } from "./browser.ts";
import { errorOf, headersOf, startHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

let harness: Harness;
let browser: Browser;
let account: string;
let owner: postgres.Sql;
const clock = manualClock("2026-11-21T12:00:00.000Z");

beforeAll(async () => {
  harness = await startHarness({ clock });
  owner = postgres(harness.ownerUrl, { max: 1 });
  browser = newBrowser(harness);
  account = accountOf(await browser.signUp());
});
afterAll(async () => {
  await owner.end();
  await harness[Symbol.asyncDispose]();
});

const make = async (wish: object = {}) => {
  const body = { name: "Server", mode: "test", ...wish };
  return browser.send<Schemas["CreatedApiKey"]>("POST", `/accounts/${account}/keys`, body);
};
const listed = async () => {
  const { body } = await browser.send<Schemas["ApiKeyList"]>("GET", `/accounts/${account}/keys`);
  return body.data;
};
const use = (secret: string) => harness.send("/v1/balance", { headers: headersOf(secret) });

describe("API keys in the dashboard", () => {
  it("makes a key that works, and one that was revoked works no more within a second", async () => {
    const { status, body } = await make();
    expect(status).toBe(201);
    expect((await use(body.secret)).status).toBe(200);
    const path = `/accounts/${account}/keys/${body.key.id}`;
    const revoked = await browser.send<Schemas["ApiKey"]>("DELETE", path);
    expect(revoked.body.revoked_at).toBe(clock.now().toISOString());
    clock.advance(1_000);
    const refused = await use(body.secret);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([401, "revoked_api_key"]);
    clock.advance(1_000);
    const again = await browser.send<Schemas["ApiKey"]>("DELETE", path);
    expect(again.body).toEqual(revoked.body);
  });

  it("shows the key's text this once: no row, no log line and no later answer has it", async () => {
    const { body } = await make({ name: "Secret one" });
    await use(body.secret);
    const secretPart = body.secret.slice("mgs_test_".length);
    const tables = await owner<{ name: string }[]>`
      select table_name as name from information_schema.tables where table_schema = 'gateway'`;
    const rows = [];
    for (const { name } of tables)
      rows.push(...(await owner`select * from gateway.${owner(name)}`));
    const kept = JSON.stringify(rows);
    expect(kept).toContain("Secret one");
    expect(kept).not.toContain(secretPart);
    expect(kept).not.toContain(Buffer.from(body.secret).toString("hex"));
    expect(JSON.stringify(harness.logged)).not.toContain(secretPart);
    expect(JSON.stringify(await listed())).not.toContain(secretPart);
    expect(await listed()).toContainEqual(
      expect.objectContaining({ last_four: body.secret.slice(-4) }),
    );
  });

  it("makes no live key before production is granted, and says why", async () => {
    const refused = await browser.send("POST", `/accounts/${account}/keys`, {
      name: "Live",
      mode: "live",
    });
    expect([refused.status, refused.body.error.code]).toEqual([403, "production_access_required"]);
    await harness.accounts.grantProduction({ accountId: account });
    const { status, body } = await make({ mode: "live" });
    expect(status).toBe(201);
    expect(body.secret).toMatch(/^mgs_live_/);
  });

  it("renames a key, and gives one an end", async () => {
    const expires_at = new Date(clock.now().getTime() + 60_000).toISOString();
    const { body } = await make({ expires_at });
    expect(body.key.expires_at).toBe(expires_at);
    const path = `/accounts/${account}/keys/${body.key.id}`;
    const renamed = await browser.send<Schemas["ApiKey"]>("PATCH", path, { name: "Laptop" });
    expect(renamed.body).toEqual({ ...body.key, name: "Laptop" });
    expect((await use(body.secret)).status).toBe(200);
    clock.advance(60_000);
    expect((await errorOf(await use(body.secret))).code).toBe("expired_api_key");
    const past = await browser.send("POST", `/accounts/${account}/keys`, {
      name: "Past",
      mode: "test",
      expires_at,
    });
    expect(past.body.error).toMatchObject({ code: "out_of_range", param: "expires_at" });
  });

  it("knows within a minute when a key was used, by one write for all of its requests", async () => {
    const { body } = await make({ name: "Used" });
    const row = async () => (await listed()).find(({ id }) => id === body.key.id);
    expect((await row())?.last_used_at).toBeUndefined();
    const usedAt = clock.now().toISOString();
    await Promise.all([use(body.secret), use(body.secret), use(body.secret)]);
    expect((await row())?.last_used_at).toBeUndefined();
    clock.advance(60_000);
    await expect.poll(async () => (await row())?.last_used_at).toBe(usedAt);
  });

  it("renames and revokes no key of another account", async () => {
    const other = await harness.newKey();
    const [key] = (await harness.accounts.listKeys({ accountId: other.accountId })).keys;
    const path = `/accounts/${account}/keys/${key?.id ?? ""}`;
    for (const method of ["PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { name: "Mine" } : undefined;
      const answer = await browser.send(method, path, body);
      expect([answer.status, answer.body.error.code]).toEqual([404, "key_not_found"]);
    }
    expect((await use(other.secret)).status).toBe(200);
  });
});
