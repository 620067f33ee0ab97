/** The id of a request: the client's own where it has the right form, else a new one. */
import type { RawRequestDefaultExpression } from "fastify";
import type { NewId } from "#runtime/id.ts";

const OWN_ID = /^[A-Za-z0-9_-]{8,64}$/;

export function requestId(newId: NewId): (request: RawRequestDefaultExpression) => string {
  return ({ headers }) => {
    const own = headers["request-id"];
    return typeof own === "string" && OWN_ID.test(own) ? own : newId("req");
  };
}
