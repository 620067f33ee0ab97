/** Which errors a client may retry. */
import { expect, it } from "vitest";
import { DatabaseUnavailable } from "#runtime/postgres/limits.ts";
import { toProblem } from "../../../../services/gateway/edge/http/problem.ts";

it("the gateway's own Postgres being unavailable is `unavailable`, any other error `internal`", () => {
  expect(toProblem(new DatabaseUnavailable("the server is starting")).code).toBe("unavailable");
  expect(toProblem(new Error("a defect")).code).toBe("internal");
});
