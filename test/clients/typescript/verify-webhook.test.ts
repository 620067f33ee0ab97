/** The client's webhook verification, against the service's signatures and the reference implementation. */
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { verifyWebhook, WebhookVerificationError } from "../../../clients/typescript/index.ts";
import { signedHeaders, signingKey } from "../../../services/delivery/domain/signature.ts";
import { newSecret } from "../../support/receiver.ts";

const secret = newSecret();
const event = { type: "video.generation.completed", data: { prompt: "a cat 🐈" } };
const body = JSON.stringify(event);
const timestampSeconds = 1_794_916_926;
const nowMs = () => timestampSeconds * 1_000;

function headersBy(...secrets: string[]) {
  const signable = { id: "evt_1", timestampSeconds, body: Buffer.from(body) };
  return signedHeaders(secrets.map(signingKey), signable);
}

const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "accepted",
    (error: unknown) => (error instanceof WebhookVerificationError ? "refused" : error),
  );

describe("verifyWebhook", () => {
  it("returns the event that the service signed, for text and bytes and all kinds of headers", async () => {
    const headers = headersBy(secret);
    const upperCase = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
      for (const given of [headers, upperCase, new Headers(headers)]) {
        expect(await verifyWebhook(raw, given, secret, { nowMs })).toEqual(event);
      }
    }
  });

  it("agrees with the reference implementation of Standard Webhooks", async () => {
    const date = new Date(nowMs());
    const signature = new Webhook(secret).sign("msg_1", date, body);
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": `${timestampSeconds}`,
      "webhook-signature": signature,
    };
    expect(await verifyWebhook(body, headers, secret, { nowMs })).toEqual(event);
  });

  it("accepts if any of several signatures is valid, and skips unknown versions", async () => {
    const headers = headersBy(newSecret(), secret);
    const more = {
      ...headers,
      "webhook-signature": `v2,AAAA v1a,!! ${headers["webhook-signature"]}`,
    };
    expect(await verifyWebhook(body, more, secret, { nowMs })).toEqual(event);
  });

  it("refuses another body, secret, id, time or signature", async () => {
    const headers = headersBy(secret);
    expect(await outcomeOf(verifyWebhook(`${body} `, headers, secret, { nowMs }))).toBe("refused");
    expect(await outcomeOf(verifyWebhook(body, headers, newSecret(), { nowMs }))).toBe("refused");
    expect(
      await outcomeOf(
        verifyWebhook(body, { ...headers, "webhook-id": "evt_2" }, secret, { nowMs }),
      ),
    ).toBe("refused");
    const later = { ...headers, "webhook-timestamp": `${timestampSeconds + 1}` };
    expect(await outcomeOf(verifyWebhook(body, later, secret, { nowMs }))).toBe("refused");
    for (const signature of ["v1,", "v1,!!", "v2,AAAA", "nonsense", "v1,AAAA"]) {
      const forged = { ...headers, "webhook-signature": signature };
      expect(await outcomeOf(verifyWebhook(body, forged, secret, { nowMs }))).toBe("refused");
    }
  });

  it("accepts a timestamp five minutes off and refuses one further off, either way", async () => {
    const headers = headersBy(secret);
    for (const seconds of [-300, 300]) {
      const shifted = { nowMs: () => nowMs() + seconds * 1_000 };
      expect(await verifyWebhook(body, headers, secret, shifted)).toEqual(event);
    }
    for (const seconds of [-301, 301]) {
      const shifted = { nowMs: () => nowMs() + seconds * 1_000 };
      expect(await outcomeOf(verifyWebhook(body, headers, secret, shifted))).toBe("refused");
    }
  });

  it("refuses a missing or repeated header, a malformed timestamp and an invalid secret", async () => {
    const headers = headersBy(secret);
    for (const name of Object.keys(headers)) {
      expect(
        await outcomeOf(verifyWebhook(body, { ...headers, [name]: undefined }, secret, { nowMs })),
      ).toBe("refused");
      expect(
        await outcomeOf(verifyWebhook(body, { ...headers, [name]: ["1", "2"] }, secret, { nowMs })),
      ).toBe("refused");
    }
    const withoutTime = { ...headers, "webhook-timestamp": "now" };
    expect(await outcomeOf(verifyWebhook(body, withoutTime, secret, { nowMs }))).toBe("refused");
    for (const none of ["whsec_", "whsec_???"]) {
      expect(await outcomeOf(verifyWebhook(body, headers, none, { nowMs }))).toBe("refused");
    }
  });
});
