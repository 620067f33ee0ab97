/** Tokens in sign-up links: whoever has one has read the mail to its address. Nothing is stored until it is used. */
import { createHmac } from "node:crypto";
import { SignJWT, jwtVerify } from "jose";
import { addMs, type Clock } from "#runtime/clock.ts";
import { LINK_VALID_SECONDS } from "../../accounts/mail/messages.ts";

const ALGORITHM = "HS256";

export type SignUpProof = {
  /** A token that proves the address, in lower case, for an hour. */
  issue: (email: string) => Promise<string>;
  /** The address that the token proves; undefined when it is wrong or has expired. */
  check: (token: string) => Promise<string | undefined>;
};

/** Signs with a key that is derived from `secret` for this purpose only. */
export function signUpProof(secret: string, clock: Clock): SignUpProof {
  const key = createHmac("sha256", secret).update("sign-up proof").digest();
  return {
    issue: (email) =>
      new SignJWT({})
        .setProtectedHeader({ alg: ALGORITHM })
        .setSubject(email)
        .setExpirationTime(addMs(clock.now(), LINK_VALID_SECONDS * 1_000))
        .sign(key),
    async check(token) {
      try {
        const options = { algorithms: [ALGORITHM], currentDate: clock.now() };
        const { payload } = await jwtVerify(token, key, options);
        return payload.sub;
      } catch {
        return undefined;
      }
    },
  };
}
