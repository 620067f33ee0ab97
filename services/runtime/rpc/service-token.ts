/** Service tokens: short-lived Ed25519 JWTs that name the caller of an RPC. */
import { SignJWT, createLocalJWKSet, exportJWK, generateKeyPair, importJWK, jwtVerify } from "jose";
import type { JWK, JSONWebKeySet } from "jose";
import type { Clock } from "../clock.ts";

const AUDIENCE = "media";
const OPERATIONS_KEY = "ops";
const OWN_TTL_SECONDS = 300;
const MAX_CACHED = 1_000;

export type IssueToken = (caller: string, ttlSeconds?: number) => Promise<string>;
export type VerifyToken = (token: string) => Promise<string>;

/** Generates a key pair; every service gets the public key, only the owner the private one. */
export async function generateIdentity(name: string): Promise<{ privateKey: JWK; publicKey: JWK }> {
  const pair = await generateKeyPair("EdDSA", { extractable: true });
  return {
    privateKey: { ...(await exportJWK(pair.privateKey)), kid: name },
    publicKey: { ...(await exportJWK(pair.publicKey)), kid: name },
  };
}

/** Issues tokens signed with one private key. The key "ops" may sign for any caller that has no key of its own. */
export function tokenIssuer(privateKey: JWK, clock: Clock): IssueToken {
  return async (caller, ttlSeconds = OWN_TTL_SECONDS) => {
    const issuedAt = Math.floor(clock.now().getTime() / 1000);
    return new SignJWT({})
      .setProtectedHeader({ alg: "EdDSA", kid: privateKey.kid ?? "" })
      .setSubject(caller)
      .setAudience(AUDIENCE)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ttlSeconds)
      .sign(await importJWK(privateKey, "EdDSA"));
  };
}

/** A token for the owner of the key, renewed after half its lifetime. */
export function ownToken(privateKey: JWK, clock: Clock): () => Promise<string> {
  const issue = tokenIssuer(privateKey, clock);
  let current: { token: Promise<string>; renewAt: number } | undefined;
  return () => {
    const now = clock.now().getTime();
    if (!current || now >= current.renewAt) {
      current = { token: issue(privateKey.kid ?? ""), renewAt: now + OWN_TTL_SECONDS * 500 };
    }
    return current.token;
  };
}

/** Checks a token against the public keys and returns the caller's name. Throws when the token is not valid. */
export function tokenVerifier(keys: JSONWebKeySet, clock: Clock): VerifyToken {
  const keySet = createLocalJWKSet(keys);
  const owners = new Set(keys.keys.map((key) => key.kid));
  const verified = new Map<string, { caller: string; expiresAt: number }>();
  return async (token) => {
    const now = clock.now();
    const known = verified.get(token);
    if (known && known.expiresAt > now.getTime()) return known.caller;
    const { payload, protectedHeader } = await jwtVerify(token, keySet, {
      audience: AUDIENCE,
      algorithms: ["EdDSA"],
      requiredClaims: ["sub", "exp"],
      currentDate: now,
    });
    const caller = payload.sub ?? "";
    const signer = protectedHeader.kid;
    const maySign = signer === caller || (signer === OPERATIONS_KEY && !owners.has(caller));
    if (!maySign) throw new Error("this key may not sign for that caller");
    if (verified.size >= MAX_CACHED) verified.clear();
    verified.set(token, { caller, expiresAt: (payload.exp ?? 0) * 1000 });
    return caller;
  };
}
