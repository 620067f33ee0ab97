/**
 * Calls within one process. They have all that calls between processes have: gate, the interceptors of both sides, headers,
 * deadline, abort, and errors without their cause. Only the bytes are left out.
 */
import { createContextValues, type Interceptor, type Transport } from "@connectrpc/connect";
import {
  answering,
  Call,
  errorAsSent,
  intercepted,
  unaryTransport,
  type Implementations,
} from "../unary/call.ts";
import type { Gate } from "./access.ts";
import { frozenMessage } from "./frozen-message.ts";

type ServerSide = { gate: Gate; interceptors: Interceptor[] };

/**
 * A transport to handlers. Neither side can change a message that the other one has: they are frozen. Nothing is served as a
 * stream.
 */
export function inProcessTransport(
  implementations: Implementations,
  { gate, interceptors }: ServerSide,
  clientInterceptors: Interceptor[],
): Transport {
  const answer = answering(implementations, interceptors, frozenMessage);
  const send = intercepted(clientInterceptors, async (request) => {
    const call = new Call(request as Call, createContextValues());
    try {
      await gate(call);
      return await answer(call);
    } catch (error) {
      throw errorAsSent(error);
    }
  });
  return unaryTransport(send, frozenMessage);
}
