/** Signing secrets: derived from master keys that can be replaced, rotated, and what happens when a key is lost. */
import { randomBytes } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { readWebhookFigures } from "../../../services/delivery/store/webhook-deliveries.ts";
import { insertSecret } from "../../../services/delivery/store/webhook-secrets.ts";
import {
  masterKeys,
  reportKeysInUse,
  rotateSecret,
  signingSecrets,
} from "../../../services/delivery/webhook/signing-secrets.ts";
import { newAccountId } from "../../support/account.ts";
import { isSignedWith, webhookFixture } from "./webhook-fixture.ts";

const DAY_MS = 24 * 3_600_000;
const WAIT_MS = 300_000;
const fixture = webhookFixture();
const newKey = () => randomBytes(32);
const row = { keyId: "", sealed: null, createdAt: new Date(), expiresAt: null, createdBy: null };

/** A secret of release 1.0.0: of account acct_1 in live mode with number 1, under the key of 32 bytes of 1. */
const SEALED = Buffer.from(
  "ksQ1yBs2B/YflBmwQc4sE/DPcA3AyurVc5oN9Nxvx5OcNToDPbkvW3lTBqL25R4tnXcgkYXvKnpIBR+igOcCzxpQdxBd6YtAFnDnz1i3",
  "base64",
);

describe("a secret", () => {
  it("is one for an account and mode, even where concurrent calls ask for it first", async () => {
    const { rpc, accountId } = fixture;
    const secretOf = async (mode: Mode) => (await rpc.getWebhookSecret({ accountId, mode })).secret;
    const answers = await Promise.all(Array.from({ length: 8 }, () => secretOf(Mode.LIVE)));
    expect(answers[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(new Set([...answers, await secretOf(Mode.LIVE)]).size).toBe(1);
    expect(await secretOf(Mode.TEST)).not.toBe(answers[0]);
  });

  it("is 32 bytes that differ by key, account, mode and number, and are the same each time", () => {
    const owner = { accountId: "acct_1", mode: "live" as const };
    const secretBy = (key: Buffer, change: object = {}, number = 1) => {
      const keys = masterKeys([key]);
      return keys.secretOf({ ...owner, ...change }, { ...row, keyId: keys.keyId, number });
    };
    const [key, other] = [newKey(), newKey()];
    const secret = secretBy(key);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secretBy(key)).toBe(secret);
    const others = [
      secretBy(other),
      secretBy(key, { accountId: "acct_2" }),
      secretBy(key, { mode: "test" }),
      secretBy(key, {}, 2),
    ];
    expect(new Set([secret, ...others]).size).toBe(5);
    expect(masterKeys([other]).secretOf(owner, { ...row, keyId: "x", number: 1 })).toBe(undefined);
  });

  it("that release 1.0.0 made and sealed stays what it is, and is read for its own row only", () => {
    const keys = masterKeys([newKey(), Buffer.alloc(32, 1)]);
    const owner = { accountId: "acct_1", mode: "live" as const };
    const stored = { ...row, keyId: "72cd6e8422c407fb", number: 1, sealed: SEALED };
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    expect(keys.secretOf(owner, stored)).toBe(secret);
    expect(keys.secretOf({ ...owner, mode: "test" }, stored)).toBe(undefined);
    expect(keys.secretOf(owner, { ...stored, number: 2 })).toBe(undefined);
    for (const sealed of [Buffer.alloc(0), SEALED.subarray(0, -1)]) {
      expect(keys.secretOf(owner, { ...stored, sealed })).toBe(undefined);
    }
  });

  it("is not in the database, and stays while a master key is replaced, until it is rotated", async () => {
    const { sql, clock } = fixture;
    const [old, young] = [newKey(), newKey()];
    const lines: object[] = [];
    const log = createLog("test", "info", {
      write: (line: string) => void lines.push(JSON.parse(line) as object),
    });
    const replica = (...keys: [Buffer, ...Buffer[]]) => {
      return { sql, clock, log, masterKeys: masterKeys(keys) };
    };
    await sql`update delivery.webhook_secrets set expires_at = ${clock.now()}`;
    const owner = { accountId: newAccountId(), mode: "live" as const };
    const [{ secret }] = await signingSecrets(replica(old), owner);
    const both = replica(young, old);
    expect((await signingSecrets(both, owner))[0].secret).toBe(secret);
    await reportKeysInUse(both);
    await reportKeysInUse(replica(young));
    const rotated = await rotateSecret(both, owner, { replaces: 1, by: "operator" });
    expect(rotated.map((one) => one.secret)).toEqual([expect.any(String), secret]);
    await reportKeysInUse(replica(young));
    clock.advance(DAY_MS);
    await reportKeysInUse(replica(young));
    const [alone, ...others] = await signingSecrets(replica(young), owner);
    expect([alone.secret, others]).toEqual([rotated[0].secret, []]);

    const { keyId } = masterKeys([old]);
    expect(lines).toEqual([
      expect.objectContaining({ level: "info", key: keyId, secrets: 1 }),
      expect.objectContaining({ level: "error", key: keyId, secrets: 1 }),
    ]);
    const text = JSON.stringify(await sql`select s.*::text as row from delivery.webhook_secrets s`);
    for (const one of rotated) {
      expect(text).not.toContain(one.secret.slice(6));
      expect(text).not.toContain(Buffer.from(one.secret.slice(6), "base64").toString("hex"));
    }
  });
});

describe("a rotation", () => {
  it("twice within a day leaves three secrets that all verify; each older one expires a day after it was replaced", async () => {
    const receiver = await fixture.receiver();
    const first = await fixture.rpc.getWebhookSecret(fixture.owner);
    const second = await fixture.rpc.rotateWebhookSecret(fixture.owner);
    fixture.clock.advance(DAY_MS / 2);
    const third = await fixture.rpc.rotateWebhookSecret(fixture.owner);
    expect([first.version, second.version, third.version]).toEqual([1, 2, 3]);
    expect(third.olderValidUntil && timestampDate(third.olderValidUntil)).toEqual(
      addMs(fixture.clock.now(), DAY_MS),
    );
    const verifying = async () => {
      await fixture.deliver(receiver.url);
      await fixture.sendDue();
      const request = receiver.received.at(-1);
      return [first, second, third].map(
        ({ secret }) => request !== undefined && isSignedWith(secret, request),
      );
    };
    expect(await verifying()).toEqual([true, true, true]);
    fixture.clock.advance(DAY_MS / 2);
    expect(await verifying()).toEqual([false, true, true]);
    fixture.clock.advance(DAY_MS / 2);
    expect(await verifying()).toEqual([false, false, true]);
    const last = await fixture.rpc.getWebhookSecret(fixture.owner);
    expect(last).toMatchObject({ secret: third.secret, version: 3 });
    expect(last.olderValidUntil).toBeUndefined();
  });

  it("that names the version it replaces happens once, even with repeated and concurrent calls", async () => {
    const { version } = await fixture.rpc.getWebhookSecret(fixture.owner);
    const rotate = () =>
      fixture.rpc.rotateWebhookSecret({ ...fixture.owner, replacesVersion: version });
    const answers = await Promise.all([rotate(), rotate(), rotate()]);
    expect(new Set([...answers, await rotate()].map(({ secret }) => secret)).size).toBe(1);
    expect(answers[0]?.version).toBe(version + 1);
  });

  it("does not affect the other mode or account, and leaves at most eleven valid secrets", async () => {
    const receiver = await fixture.receiver();
    const others = [{ mode: Mode.TEST }, { accountId: newAccountId() }];
    const othersSecrets = () =>
      Promise.all(others.map((one) => fixture.rpc.getWebhookSecret({ ...fixture.owner, ...one })));
    const kept = await othersSecrets();
    for (let i = 0; i < 12; i++) await fixture.rpc.rotateWebhookSecret(fixture.owner);
    await fixture.deliver(receiver.url);
    await fixture.sendDue();
    const signatures = String(receiver.received[0]?.headers["webhook-signature"]).split(" ");
    expect(signatures).toHaveLength(11);
    fixture.clock.advance(DAY_MS);
    expect(await othersSecrets()).toEqual(kept);
  });
});

describe("webhooks whose account's secret needs a lost key", () => {
  beforeEach(async () => {
    const first = { accountId: fixture.accountId, mode: "live" as const, number: 1 };
    await insertSecret(fixture.sql, first, masterKeys([newKey()]).keyId, fixture.clock.now());
  });

  it("wait without an attempt, while other accounts and the other mode get theirs at once", async () => {
    const receiver = await fixture.receiver();
    const waiting = [await fixture.deliver(receiver.url), await fixture.deliver(receiver.url)];
    const sent = [
      await fixture.deliver(receiver.url, { accountId: newAccountId() }),
      await fixture.deliver(receiver.url, { mode: "test" }),
    ];
    expect(await fixture.sendDue()).toBe(4);

    for (const one of sent)
      expect(await fixture.stateOf(one)).toMatchObject({ status: "delivered" });
    expect(receiver.received).toHaveLength(2);
    const figures = await readWebhookFigures(fixture.sql, fixture.clock.now());
    expect(figures).toEqual({ ready: 0, planned: 2, oldest: undefined });
    const nextAttemptAt = addMs(fixture.clock.now(), WAIT_MS);
    const untried = { status: "pending", attemptCount: 0, nextAttemptAt, attempts: [] };
    for (const one of waiting) expect(await fixture.stateOf(one)).toEqual(untried);
    fixture.clock.advance(WAIT_MS - 1);
    expect(await fixture.sendDue()).toBe(0);
    fixture.clock.advance(1);
    expect(await fixture.sendDue()).toBe(2);
  });

  it("are never given up, and go out signed with the new secret alone after a rotation", async () => {
    const receiver = await fixture.receiver();
    const delivery = await fixture.deliver(receiver.url);
    for (let day = 0; day < 10; day++) {
      await fixture.sendDue();
      fixture.clock.advance(24 * 3_600_000);
    }
    const rotated = await fixture.rpc.rotateWebhookSecret(fixture.owner);
    expect(rotated).toMatchObject({ version: 2 });
    expect(rotated.olderValidUntil).toBeUndefined();
    expect((await fixture.rpc.getWebhookSecret(fixture.owner)).secret).toBe(rotated.secret);

    expect(await fixture.sendDue()).toBe(1);
    expect(await fixture.stateOf(delivery)).toMatchObject({
      status: "delivered",
      attemptCount: 1,
      attempts: [{ statusCode: 200 }],
    });
    const [request] = receiver.received;
    expect(request && isSignedWith(rotated.secret, request)).toBe(true);
    expect(String(request?.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  });
});
