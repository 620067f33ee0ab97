/** A request just above the servers' size limit. */
import { create, ScalarType, type Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { Rpc } from "./rpcs.ts";

const LIMIT_BYTES = 64 * 1024 * 1024;

/** A request of the first of `rpcs` that has a text field. */
export function oversizedRequest(rpcs: readonly Rpc[]): { rpc: Rpc; message: Message } {
  for (const rpc of rpcs) {
    const { method } = rpc;
    const text = method.input.fields.find((field) => field.scalar === ScalarType.STRING);
    if (!text) continue;
    const message = create(method.input);
    reflect(method.input, message).set(text, "a".repeat(LIMIT_BYTES + 1));
    return { rpc, message };
  }
  throw new Error("no RPC of this server has a text field");
}
