/** Who may call: the gate before every call, which has seen its headers and nothing of its body. */
import { Code, ConnectError, createContextKey, type HandlerContext } from "@connectrpc/connect";
import { callers } from "#gen/proto/media/runtime/v1/access_pb.ts";
import { methodOption } from "../context.ts";
import type { VerifyToken } from "../service-token.ts";

/** The name of the calling service. */
export const callerKey = createContextKey("");

/** Throws a ConnectError to refuse a call, by what is known before its message is read. */
export type Gate = (call: HandlerContext) => Promise<void>;

/** In `callers`: every caller without a key of its own. */
const INTERNAL = "internal";

const callersOf = methodOption(callers);

/** Refuses calls without a valid service token, and callers that the RPC's `callers` option does not name. */
export function accessGate(verify: VerifyToken): Gate {
  return async ({ method, requestHeader, values }) => {
    const [, token = ""] = /^Bearer (.*)$/.exec(requestHeader.get("authorization") ?? "") ?? [];
    const caller = await verify(token).catch(({ message }: Error) => {
      const wrong = token === "" ? "is required: Authorization: Bearer <token>" : message;
      throw new ConnectError(`the service token ${wrong}`, Code.Unauthenticated);
    });
    const allowed = callersOf(method);
    if (!allowed.includes(caller.isInternal ? INTERNAL : caller.name)) {
      throw new ConnectError(`${caller.name} may not call ${method.name}`, Code.PermissionDenied);
    }
    values.set(callerKey, caller.name);
  };
}
