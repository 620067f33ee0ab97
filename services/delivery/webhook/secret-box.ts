/** Encrypts signing secrets for storage: AES-256-GCM, bound to their owner, under keys that can be replaced. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARACTERS = 16;

/** The owner and number of a secret, authenticated with it: a sealed secret cannot be moved to another row. */
export type SecretContext = { accountId: string; mode: string; number: number };

/** An encrypted secret: `sealed` holds nonce, tag and ciphertext. */
export type SealedSecret = { keyId: string; sealed: Buffer };

export type SecretBox = {
  /** The key that `seal` uses. */
  readonly keyId: string;
  /** Whether a key with this id is configured. */
  holds: (keyId: string) => boolean;
  seal: (context: SecretContext, secret: string) => SealedSecret;
  /** Throws UnknownKeyError if no configured key has this id, and an error if secret or context was altered. */
  open: (context: SecretContext, sealed: SealedSecret) => string;
};

/** A secret is encrypted with a key that is not configured. */
export class UnknownKeyError extends Error {
  override name = "UnknownKeyError";
  constructor(keyId: string) {
    super(
      `a webhook secret is encrypted with key ${keyId}, which WEBHOOK_SECRET_KEY does not hold`,
    );
  }
}

/**
 * Parses keys: base64 or base64url of 32 bytes each, separated by commas or white space. Throws a RangeError if one is
 * malformed or there is none.
 */
export function parseSecretKeys(text: string): [first: Buffer, ...others: Buffer[]] {
  const [first, ...others] = text.split(/[\s,]+/).flatMap((word) => {
    if (word === "") return [];
    const key = Buffer.from(word, "base64");
    if (key.length === KEY_BYTES && /^[\w+/-]{43}=?$/.test(word)) return [key];
    throw new RangeError("each key must be the base64 of 32 random bytes");
  });
  if (first === undefined) throw new RangeError("at least one key is required");
  return [first, ...others];
}

/** The first key encrypts, all of them decrypt. A key's id is the beginning of its SHA-256. */
export function secretBox([first, ...others]: readonly [Buffer, ...Buffer[]]): SecretBox {
  const keys = new Map([first, ...others].map((key) => [idOf(key), key]));
  const keyId = idOf(first);
  return {
    keyId,
    holds: (id) => keys.has(id),
    seal(context, secret) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, first, nonce).setAAD(additionalData(context));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return { keyId, sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
    },
    open(context, { keyId: needed, sealed }) {
      const key = keys.get(needed);
      if (!key) throw new UnknownKeyError(needed);
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(additionalData(context))
        .setAuthTag(tag);
      const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    },
  };
}

function additionalData({ accountId, mode, number }: SecretContext): Buffer {
  return Buffer.from(JSON.stringify([accountId, mode, number]));
}

function idOf(key: Buffer): string {
  return createHash("sha256").update(key).digest("hex").slice(0, KEY_ID_CHARACTERS);
}
