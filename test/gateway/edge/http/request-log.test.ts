/** Which requests have a line in the log. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { requestLog } from "../../../../services/gateway/edge/http/app-hooks.ts";

it("one in three successful reads is logged, and each write and refusal within its account's share", () => {
  const lines: { method: string; status: number }[] = [];
  const log = createLog("test", "info", { write: (text) => void lines.push(JSON.parse(text)) });
  const onResponse = requestLog(log, 3, (_request, { statusCode }) => statusCode !== 429);
  const answer = (method: string, statusCode: number) =>
    onResponse(
      { method, id: "req_12345678", routeOptions: { url: "/v1/models" } } as FastifyRequest,
      { statusCode, elapsedTime: 1 } as FastifyReply,
    );
  for (let index = 0; index < 6; index += 1) answer("GET", 200);
  answer("POST", 429);
  answer("POST", 202);
  answer("GET", 404);
  const logged = lines.map(({ method, status }) => `${method} ${status}`);
  expect(logged).toEqual(["GET 200", "GET 200", "POST 202", "GET 404"]);
});
