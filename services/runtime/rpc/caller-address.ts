/** The IP address of the caller of an RPC. */
import type { Http2ServerRequest } from "node:http2";
import type { IncomingMessage } from "node:http";
import { createContextKey, createContextValues, type ContextValues } from "@connectrpc/connect";

/** Undefined for a call within the process. */
export const callerAddressKey = createContextKey<string | undefined>(undefined, {
  description: "IP address of the caller",
});

export function withCallerAddress({ socket }: IncomingMessage | Http2ServerRequest): ContextValues {
  return createContextValues().set(callerAddressKey, socket.remoteAddress);
}
