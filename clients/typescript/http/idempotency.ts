/** The key that makes a create repeatable without a second charge. */
import type { CallOptions } from "./connection.ts";

/** `idempotencyKey`: 1 to 191 characters. By default a new one for each call, used by all its attempts. */
export type CreateOptions = CallOptions & { idempotencyKey?: string };

export function idempotencyHeader({ idempotencyKey }: CreateOptions = {}): IdempotencyHeader {
  return { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() };
}

export type IdempotencyHeader = { "Idempotency-Key": string };
