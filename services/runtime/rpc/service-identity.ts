/** Key pairs of services and of the operator. A key's id says nothing of its owner: `owner` names it beside the key. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import { systemClock } from "../clock.ts";

/** A JSON Web Key, whose it is, and when it was made, in seconds since 1970. */
export type ServiceKey = JWK & { owner: string; iat: number };

/** Public keys, as in `trusted.json`. */
export type TrustedKeys = { keys: ServiceKey[] };

/**
 * Generates a key pair; every service gets the public key, only the owner the private one. The id of both is the
 * key's thumbprint (RFC 7638). An owner may have several keys.
 */
export async function generateIdentity(
  owner: string,
): Promise<{ privateKey: ServiceKey; publicKey: ServiceKey }> {
  const pair = await generateKeyPair("EdDSA", { extractable: true });
  const publicKey = await exportJWK(pair.publicKey);
  const iat = Math.floor(systemClock.now().getTime() / 1_000);
  const about = { kid: await calculateJwkThumbprint(publicKey), owner, iat };
  return {
    privateKey: { ...(await exportJWK(pair.privateKey)), ...about },
    publicKey: { ...publicKey, ...about },
  };
}
