/** Which requests have a line in the log. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { requestLog } from "../../../../services/gateway/edge/http/request-log.ts";

it("one in three successful reads is logged, and each write and each refusal", async () => {
  const lines: { method: string; status: number }[] = [];
  const log = createLog("test", "info", { write: (text) => void lines.push(JSON.parse(text)) });
  const onResponse = requestLog(log, 3, () => {});
  const answer = (method: string, status: number) =>
    onResponse(
      { method, id: "req_12345678", routeOptions: { url: "/v1/models" } } as FastifyRequest,
      { statusCode: status, elapsedTime: 1 } as FastifyReply,
    );
  for (let index = 0; index < 6; index += 1) await answer("GET", 200);
  await answer("POST", 202);
  await answer("GET", 404);
  expect(lines.map(({ method, status }) => `${method} ${status}`)).toEqual([
    "GET 200",
    "GET 200",
    "POST 202",
    "GET 404",
  ]);
});
