/** The key that makes a create repeatable without a second charge. */
import type { CallOptions } from "./connection.ts";

export type CreateOptions = CallOptions & {
  /**
   * 1 to 191 characters: a create with the same one is made and charged once, after a crash too. By default a new one for each
   * call, used by all its attempts.
   */
  idempotencyKey?: string;
};

export function idempotencyHeader({ idempotencyKey }: CreateOptions = {}): IdempotencyHeader {
  return { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() };
}

export type IdempotencyHeader = { "Idempotency-Key": string };
