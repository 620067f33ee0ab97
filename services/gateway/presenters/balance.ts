/** Presents a balance. */
import type { components } from "#gen/openapi/media.ts";
import type { Balance } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { ModeName } from "#runtime/mode.ts";

export function presentBalance(
  mode: ModeName,
  { available, reserved }: Balance,
): components["schemas"]["Balance"] {
  return {
    object: "balance",
    mode,
    available: Number(available),
    reserved: Number(reserved),
  };
}
