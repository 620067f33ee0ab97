/** The id of a request: the client's Request-Id when it is well-formed, otherwise a new one. */
import type { RawRequestDefaultExpression } from "fastify";
import type { NewId } from "#runtime/id.ts";

const CLIENT_ID = /^[A-Za-z0-9_-]{8,64}$/;

export function requestId(newId: NewId): (request: RawRequestDefaultExpression) => string {
  return ({ headers }) => {
    const clientId = headers["request-id"];
    return typeof clientId === "string" && CLIENT_ID.test(clientId) ? clientId : newId("req");
  };
}
