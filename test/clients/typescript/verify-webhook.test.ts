/** The client's webhook verification, against the service's signatures. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookHeaders,
} from "../../../clients/typescript/index.ts";
import { signedHeaders, signingKey } from "../../../services/delivery/domain/signature.ts";
import { newSecret } from "../../support/receiver.ts";

const secret = newSecret();
const event = { type: "video.generation.completed", data: { prompt: "a cat 🐈" } };
const body = JSON.stringify(event);
const timestampSeconds = 1_794_916_926;
const setTime = (later = 0) => vi.setSystemTime((timestampSeconds + later) * 1_000);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: timestampSeconds * 1_000 }));
afterEach(() => void vi.useRealTimers());

function headersBy(...secrets: string[]) {
  const signable = { id: "evt_1", timestampSeconds, body: Buffer.from(body) };
  return signedHeaders(secrets.map(signingKey), signable);
}

describe("verifyWebhook", () => {
  it("returns the event that the service signed, for text and bytes and all kinds of headers", async () => {
    const headers = headersBy(secret);
    const upperCase = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const raw of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
      for (const given of [headers, upperCase, new Headers(headers)]) {
        expect(await verifyWebhook(raw, given, secret)).toEqual(event);
      }
    }
  });

  it("accepts if any of several signatures is valid, and skips unknown versions", async () => {
    const headers = headersBy(newSecret(), secret);
    const more = {
      ...headers,
      "webhook-signature": `v2,AAAA v1a,!! ${headers["webhook-signature"]}`,
    };
    expect(await verifyWebhook(body, more, secret)).toEqual(event);
  });

  it("accepts a timestamp five minutes off, either way", async () => {
    const headers = headersBy(secret);
    for (const seconds of [-300, 300]) {
      setTime(seconds);
      expect(await verifyWebhook(body, headers, secret)).toEqual(event);
    }
  });

  const headers = headersBy(secret);
  const changed = (name: string, value: string | string[] | undefined) => ({
    ...headers,
    [`webhook-${name}`]: value,
  });
  const names = ["id", "timestamp", "signature"];
  const signatures = ["v1,", "v1,!!", "v2,AAAA", "nonsense", "v1,AAAA"];
  it.each<[string, Partial<{ raw: string; given: WebhookHeaders; by: string; later: number }>]>([
    ["another body", { raw: `${body} ` }],
    ["another secret", { by: newSecret() }],
    ["no secret after its prefix", { by: "whsec_" }],
    ["a secret that is none", { by: "whsec_???" }],
    ["another id", { given: changed("id", "evt_2") }],
    ["another time", { given: changed("timestamp", `${timestampSeconds + 1}`) }],
    ["no time", { given: changed("timestamp", "now") }],
    ["an old time", { later: 301 }],
    ["a time to come", { later: -301 }],
    ...signatures.map((one): [string, object] => [one, { given: changed("signature", one) }]),
    ...names.map((name): [string, object] => [`no ${name}`, { given: changed(name, undefined) }]),
    ...names.map((name): [string, object] => [
      `two of ${name}`,
      { given: changed(name, ["1", "2"]) },
    ]),
  ])("refuses %s", async (_what, { raw = body, given = headers, by = secret, later = 0 }) => {
    setTime(later);
    const refused = verifyWebhook(raw, given, by);
    await expect(refused).rejects.toBeInstanceOf(WebhookVerificationError);
  });
});
