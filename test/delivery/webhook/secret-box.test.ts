/** Signing secrets in the database: encrypted, bound to their owner, under keys that can be replaced. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { resealSecrets } from "../../../services/delivery/webhook/reseal-secrets.ts";
import { rotateSecret } from "../../../services/delivery/webhook/rotate-secret.ts";
import {
  secretBox,
  UnknownKeyError,
  type SecretBox,
} from "../../../services/delivery/webhook/secret-box.ts";
import { newSecret } from "../../../services/delivery/domain/signature.ts";
import { signingSecrets } from "../../../services/delivery/webhook/signing-secrets.ts";
import { newAccountId } from "../../support/account.ts";
import { connectedDatabase } from "../../support/database.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { silentLog } from "./sender-fixture.ts";
import { forTests } from "../../support/for-tests.ts";

const CONTEXT = { accountId: "acct_1", mode: "live", number: 1 };
const clock = manualClock();
const database = forTests(() => connectedDatabase("delivery"));
let sql: Sql;
beforeAll(() => void ({ sql } = database));

const newKey = () => randomBytes(32);
const newOwner = () => ({ accountId: newAccountId(), mode: "live" as const });
/** All rows as text. */
const dump = async () => {
  const rows = await sql<{ row: string }[]>`
    select s.*::text || encode(sealed, 'escape') as row from delivery.webhook_secrets s`;
  return rows.map(({ row }) => row).join("\n");
};

describe("a sealed secret", () => {
  it("can be opened for its own account, mode and number only, and not if it was altered", () => {
    const box = secretBox([newKey()]);
    const kept = box.seal(CONTEXT, "whsec_x");
    expect(box.open(CONTEXT, kept)).toBe("whsec_x");
    for (const other of [{ accountId: "acct_2" }, { mode: "test" }, { number: 2 }]) {
      expect(() => box.open({ ...CONTEXT, ...other }, kept)).toThrow(/./);
    }
    for (let at = 0; at < kept.sealed.length; at++) {
      const sealed = Buffer.from(kept.sealed);
      sealed.writeUInt8((sealed[at] ?? 0) ^ 1, at);
      expect(() => box.open(CONTEXT, { ...kept, sealed })).toThrow(/./);
    }
    expect(() => box.open(CONTEXT, { ...kept, sealed: Buffer.alloc(0) })).toThrow(/./);
    expect(() => secretBox([newKey()]).open(CONTEXT, kept)).toThrow(UnknownKeyError);
  });

  it("differs each time, and can be opened if its key is one of several", () => {
    const [old, young] = [newKey(), newKey()];
    const before = secretBox([old]).seal(CONTEXT, "whsec_x");
    expect(secretBox([old]).seal(CONTEXT, "whsec_x").sealed.equals(before.sealed)).toBe(false);
    const both = secretBox([young, old]);
    expect(both.open(CONTEXT, before)).toBe("whsec_x");
    expect(both.seal(CONTEXT, "whsec_x").keyId).not.toBe(before.keyId);
  });
});

describe("the database", () => {
  it("has only ciphertext, of first secrets and of rotated ones", async () => {
    const deps = { sql, clock, secretBox: secretBox([newKey()]) };
    const owner = newOwner();
    await signingSecrets(deps, owner);
    const secrets = await rotateSecret(deps, owner, { replaces: undefined, by: "operator" });
    expect(secrets).toHaveLength(2);
    const rows = await dump();
    for (const { secret } of secrets) {
      const raw = Buffer.from(secret.slice("whsec_".length), "base64");
      for (const form of [
        secret,
        secret.slice(6),
        raw.toString("hex"),
        Buffer.from(secret).toString("hex"),
      ]) {
        expect(rows).not.toContain(form);
      }
    }
    expect(rows).not.toContain("whsec_");
  });

  it("is re-encrypted with a new key, and stays readable", async () => {
    const [old, young] = [newKey(), newKey()];
    const owner = newOwner();
    const deps = { sql, clock, secretBox: secretBox([old]) };
    await asOwner((db) => db`truncate delivery.webhook_secrets`);
    const [{ secret }] = await signingSecrets(deps, owner);

    const both = { sql, clock, log: silentLog, secretBox: secretBox([young, old]) };
    expect(await resealSecrets(both)).toBe(1);
    expect(await resealSecrets(both)).toBe(0);
    const alone = { sql, clock, secretBox: secretBox([young]) };
    expect((await signingSecrets(alone, owner))[0].secret).toBe(secret);
  });

  it("is readable for every replica while the key is replaced in three rolls", async () => {
    const [old, young] = [newKey(), newKey()];
    const replica = (...keys: [Buffer, ...Buffer[]]) => ({
      sql,
      clock,
      log: silentLog,
      secretBox: secretBox(keys),
    });
    const rolls = [replica(old), replica(old, young), replica(young, old), replica(young)];
    const owner = newOwner();
    const secrets: string[] = [];
    for (const [index, after] of rolls.entries()) {
      const before = rolls[index - 1] ?? after;
      // While a roll is under way either replica may be asked.
      for (const one of [before, after]) {
        await resealSecrets(one);
        const rotated = await rotateSecret(one, owner, { replaces: undefined, by: "operator" });
        secrets.push(rotated[0].secret);
        for (const reader of [before, after]) {
          const read = await signingSecrets(reader, owner);
          expect(read.map(({ secret }) => secret)).toEqual(expect.arrayContaining(secrets));
        }
      }
    }
  });

  it("is re-encrypted except what cannot be read: that stays, and is logged with its key and count", async () => {
    await asOwner((db) => db`truncate delivery.webhook_secrets`);
    const [lost, old, young] = [newKey(), newKey(), newKey()];
    const keys = { lost: idOf(lost), old: idOf(old), young: idOf(young) };
    for (const key of [lost, old]) await insertSealed(secretBox([key]), 450);
    await sql`
      update delivery.webhook_secrets set sealed = 'altered' where account_id in (
        select account_id from delivery.webhook_secrets where key_id = ${keys.old} order by 1 limit 3)`;
    const lines: unknown[] = [];
    const write = (line: string) => void lines.push(JSON.parse(line));
    const log = createLog("test", "info", { write });
    const deps = { sql, log, secretBox: secretBox([young, old]) };

    expect(await resealSecrets(deps)).toBe(447);
    expect(lines).toHaveLength(2);
    for (const what of [
      { level: "error", secrets: 450, key: keys.lost, reason: "unknown key" },
      { level: "error", secrets: 3, key: keys.old, reason: "altered" },
    ]) {
      expect(lines).toContainEqual(expect.objectContaining(what));
    }
    expect(await resealSecrets(deps)).toBe(0);
    const counts = await sql<{ keyId: string; secrets: number }[]>`
      select key_id, count(*)::integer as secrets from delivery.webhook_secrets group by key_id`;
    expect(new Map(counts.map(({ keyId, secrets }) => [keyId, secrets]))).toEqual(
      new Map([
        [keys.lost, 450],
        [keys.old, 3],
        [keys.young, 447],
      ]),
    );
  });
});

const idOf = (key: Buffer) => secretBox([key]).keyId;

/** Inserts the first secrets of `count` accounts. */
async function insertSealed(box: SecretBox, count: number): Promise<void> {
  const contexts = Array.from({ length: count }, () => ({ ...newOwner(), number: 1 }));
  const sealed = contexts.map((context) => box.seal(context, newSecret()).sealed.toString("hex"));
  await sql`
    insert into delivery.webhook_secrets (account_id, mode, number, key_id, sealed, created_at)
    select account_id, 'live', 1, ${box.keyId}, decode(hex, 'hex'), ${clock.now()}
    from unnest(${contexts.map(({ accountId }) => accountId)}::text[], ${sealed}::text[]) as one (account_id, hex)`;
}

async function asOwner(work: (db: Sql) => Promise<unknown>): Promise<void> {
  const owner = connectPostgres({ url: database.ownerUrl, maxConnections: 1 }, "test");
  await work(owner);
  await owner.end({ timeout: 1 });
}
