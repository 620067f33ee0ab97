/** Signatures, checked against the published test vector and an implementation that no other test uses. */
import { Webhook as Svix } from "svix";
import { expect, it } from "vitest";
import { signedHeaders, signingKey } from "../../../services/delivery/domain/signature.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

it("a signature of a non-ASCII body is accepted by Svix, and of another body is not", () => {
  const body = '{"prompt":"ein Fluß, 川 and 🦊"}';
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const signed = { id: "evt_1", timestampSeconds, body: Buffer.from(body) };
  const headers = signedHeaders([signingKey(SECRET)], signed);
  expect(() => new Svix(SECRET).verify(body, headers)).not.toThrow();
  expect(() => new Svix(SECRET).verify(`${body} `, headers)).toThrow("No matching signature");
});
