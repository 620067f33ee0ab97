/** Signatures, checked against the published test vector; the other tests of webhooks verify them by another implementation. */
import { expect, it } from "vitest";
import { signedHeaders, signingKey } from "../../../services/delivery/domain/signature.ts";

it("a signature equals the published vector of Standard Webhooks", () => {
  const headers = signedHeaders([signingKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")], {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestampSeconds: 1_614_265_330,
    body: Buffer.from('{"test": 2432232314}'),
  });
  expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});
