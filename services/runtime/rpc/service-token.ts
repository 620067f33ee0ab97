/** Service tokens: Ed25519 JWTs that name the caller of an RPC and the one service that they are for; key pairs. */
import type { Interceptor } from "@connectrpc/connect";
import {
  SignJWT,
  calculateJwkThumbprint,
  createLocalJWKSet,
  importJWK,
  jwtVerify,
  type JWK,
} from "jose";
import { LRUCache } from "lru-cache";
import { generateKeyPairSync } from "node:crypto";
import { systemClock, type Clock } from "../clock.ts";

const OPERATIONS_KEY = "ops";
/** A token is refused at this age, whatever it says of its own end. */
export const MAX_TOKEN_SECONDS = 300;
/** How far the clock of an operator's machine may be ahead of the database's. */
const MAX_AHEAD_SECONDS = 60;
const MAX_CACHED = 1_000;
const TOO_OLD = `is too old: it is valid for ${MAX_TOKEN_SECONDS} s`;

/** `isInternal`: the caller has no key of its own; the operator's key has signed for it. */
export type Caller = { name: string; isInternal: boolean };

export type VerifyToken = ReturnType<typeof tokenVerifier>;

/** Issues tokens signed with one private key. The key of "ops" may sign for any caller that has no key of its own. */
export function tokenIssuer(privateKey: ServiceKey, clock: Clock) {
  return async ({ caller, audience }: { caller: string; audience: string }): Promise<string> => {
    const issuedAt = Math.floor(clock.now().getTime() / 1000);
    return new SignJWT({})
      .setProtectedHeader({ alg: "EdDSA", kid: privateKey.kid ?? "" })
      .setSubject(caller)
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + MAX_TOKEN_SECONDS)
      .sign(await importJWK(privateKey, "EdDSA"));
  };
}

/** Adds to every call a token of the key's owner for one service, renewed after half its lifetime. */
export function tokenInterceptor(key: ServiceKey, audience: string, clock: Clock): Interceptor {
  const issue = tokenIssuer(key, clock);
  let token: Promise<string> | undefined;
  let renewAt = 0;
  return (next) => async (request) => {
    const now = clock.now().getTime();
    if (!token || now >= renewAt) {
      token = issue({ caller: key.owner, audience });
      renewAt = now + MAX_TOKEN_SECONDS * 500;
    }
    request.header.set("authorization", `Bearer ${await token}`);
    return next(request);
  };
}

/** Returns the caller of a valid token for the service `audience`; else throws what is wrong with the token. */
export function tokenVerifier({ keys }: TrustedKeys, audience: string, clock: Clock) {
  const keySet = createLocalJWKSet({ keys });
  const verified = new LRUCache<string, { caller: Caller; expiresAt: number }>({ max: MAX_CACHED });
  return async (token: string): Promise<Caller> => {
    const now = clock.now();
    const known = verified.get(token);
    if (known && known.expiresAt > now.getTime()) return known.caller;
    const { payload, protectedHeader } = await jwtVerify(token, keySet, {
      algorithms: ["EdDSA"],
      audience,
      requiredClaims: ["sub", "iat", "exp"],
      currentDate: now,
    }).catch(({ code, claim }: { code?: string; claim?: string }) => {
      // The signature was checked before the claims: only who was given the token learns of these.
      if (code === "ERR_JWT_EXPIRED") throw new Error(TOO_OLD);
      throw new Error(
        claim === "aud" ? `is not for ${audience}` : "is malformed or not signed by a trusted key",
      );
    });
    const { sub: name = "", iat = 0, exp = 0 } = payload;
    const ageSeconds = now.getTime() / 1000 - iat;
    if (ageSeconds >= MAX_TOKEN_SECONDS) throw new Error(TOO_OLD);
    if (ageSeconds < -MAX_AHEAD_SECONDS) throw new Error("is issued in the future");
    // A key signs for its owner, and the operator's also for callers without one.
    const owner = keys.find(({ kid }) => kid === protectedHeader.kid)?.owner;
    const isInternal = owner !== name;
    if (isInternal && (owner !== OPERATIONS_KEY || keys.some((key) => key.owner === name))) {
      throw new Error("names a caller for whom its key may not sign");
    }
    const caller = { name, isInternal };
    verified.set(token, { caller, expiresAt: Math.min(exp, iat + MAX_TOKEN_SECONDS) * 1000 });
    return caller;
  };
}

/** A JSON Web Key, whose it is (a key's id says nothing of its owner), and when it was made, in seconds since 1970. */
export type ServiceKey = JWK & { owner: string; iat: number };

export type TrustedKeys = { keys: ServiceKey[] };

/**
 * Generates a key pair; every service gets the public key, only the owner the private one. The id of both is the
 * key's thumbprint (RFC 7638). An owner may have several keys.
 */
export async function generateIdentity(
  owner: string,
): Promise<{ privateKey: ServiceKey; publicKey: ServiceKey }> {
  const pair = generateKeyPairSync("ed25519");
  const publicKey = pair.publicKey.export({ format: "jwk" }) as JWK;
  const iat = Math.floor(systemClock.now().getTime() / 1_000);
  const about = { kid: await calculateJwkThumbprint(publicKey), owner, iat };
  return {
    privateKey: { ...pair.privateKey.export({ format: "jwk" }), ...about },
    publicKey: { ...publicKey, ...about },
  };
}
