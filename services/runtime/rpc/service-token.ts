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

/**
 * Generates a key pair; every service gets the public key, only the owner the private one. A service may have several
 * keys, which their `label` tells apart.
 */
export async function generateIdentity(
  name: string,
  label?: string,
): Promise<{ privateKey: JWK; publicKey: JWK }> {
  const pair = await generateKeyPair("EdDSA", { extractable: true });
  const kid = label === undefined ? name : `${name}#${label}`;
  return {
    privateKey: { ...(await exportJWK(pair.privateKey)), kid },
    publicKey: { ...(await exportJWK(pair.publicKey)), kid },
  };
}

/** The name of the service, or the operator, that a key belongs to. */
export function ownerOf({ kid }: { kid?: string | undefined }): string {
  return kid?.split("#", 1)[0] ?? "";
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

/** A token for the owner of the key, renewed after half its lifetime, and when the key is another. */
export function ownToken(privateKey: () => JWK, clock: Clock): () => Promise<string> {
  let current: { key: JWK; token: Promise<string>; renewAt: number } | undefined;
  return () => {
    const now = clock.now().getTime();
    const key = privateKey();
    if (!current || current.key !== key || now >= current.renewAt) {
      const token = tokenIssuer(key, clock)(ownerOf(key));
      current = { key, token, renewAt: now + OWN_TTL_SECONDS * 500 };
    }
    return current.token;
  };
}

/** Checks a token against the public keys and returns the caller's name. Throws when the token is not valid. */
export function tokenVerifier(trusted: () => JSONWebKeySet, clock: Clock): VerifyToken {
  let keys = trusted();
  let keySet = createLocalJWKSet(keys);
  let owners = new Set(keys.keys.map(ownerOf));
  const verified = new Map<string, { caller: string; expiresAt: number }>();
  return async (token) => {
    const now = clock.now();
    if (keys !== trusted()) {
      keys = trusted();
      keySet = createLocalJWKSet(keys);
      owners = new Set(keys.keys.map(ownerOf));
      verified.clear();
    }
    const known = verified.get(token);
    if (known && known.expiresAt > now.getTime()) return known.caller;
    const { payload, protectedHeader } = await jwtVerify(token, keySet, {
      audience: AUDIENCE,
      algorithms: ["EdDSA"],
      requiredClaims: ["sub", "exp"],
      currentDate: now,
    });
    const caller = payload.sub ?? "";
    const signer = ownerOf(protectedHeader);
    const maySign = signer === caller || (signer === OPERATIONS_KEY && !owners.has(caller));
    if (!maySign) throw new Error("this key may not sign for that caller");
    if (verified.size >= MAX_CACHED) verified.clear();
    verified.set(token, { caller, expiresAt: (payload.exp ?? 0) * 1000 });
    return caller;
  };
}
