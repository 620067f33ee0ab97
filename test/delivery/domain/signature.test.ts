/** Signatures, checked against the published test vector and two independent implementations. */
import { Webhook } from "standardwebhooks";
import { Webhook as Svix } from "svix";
import { describe, expect, it } from "vitest";
import {
  signature,
  signedHeaders,
  signingKey,
} from "../../../services/delivery/domain/signature.ts";
import { newSecret } from "../../support/receiver.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SIGNABLE = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestampSeconds: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
};
const PUBLISHED_SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

describe("a signature", () => {
  it("equals the published vector of Standard Webhooks", () => {
    expect(signature([signingKey(SECRET)], SIGNABLE)).toBe(PUBLISHED_SIGNATURE);
  });

  it("is accepted by two independent implementations, also for a non-ASCII body", () => {
    const secret = newSecret();
    const body = Buffer.from('{"prompt":"ein Fluß, 川 and 🦊"}');
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const headers = signedHeaders([signingKey(secret)], { id: "evt_1", timestampSeconds, body });
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body.toString()));
    expect(() => new Svix(secret).verify(body.toString(), headers)).not.toThrow();
    const altered = Buffer.from(body.toString().replace("ein", "kein"));
    expect(() => new Webhook(secret).verify(altered, headers)).toThrow("No matching signature");
    expect(() => new Svix(secret).verify(altered.toString(), headers)).toThrow(
      "No matching signature",
    );
  });
});
