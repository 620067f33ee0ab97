/** Presents a balance. */
import type { components } from "#gen/openapi/media.ts";
import type { Balance, TokenLimit } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { ModeName } from "#runtime/mode.ts";
import { publicTokenLimit } from "#runtime/public-token-limit.ts";

export function presentBalance(
  mode: ModeName,
  { available, reserved }: Balance,
  limits: readonly TokenLimit[],
): components["schemas"]["Balance"] {
  return {
    object: "balance",
    mode,
    available: Number(available),
    reserved: Number(reserved),
    limits: limits.map(publicTokenLimit),
  };
}
