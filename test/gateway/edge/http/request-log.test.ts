/** Which requests have a line in the log. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { requestLog } from "../../../../services/gateway/edge/http/app-hooks.ts";

type Keep = Parameters<typeof requestLog>[2];

function loggedRequests(readsPerLine: number, keep: Keep) {
  const lines: { method: string; status: number }[] = [];
  const log = createLog("test", "info", { write: (text) => void lines.push(JSON.parse(text)) });
  const onResponse = requestLog(log, readsPerLine, keep);
  const answer = (method: string, status: number) =>
    onResponse(
      { method, id: "req_12345678", routeOptions: { url: "/v1/models" } } as FastifyRequest,
      { statusCode: status, elapsedTime: 1 } as FastifyReply,
    );
  return { answer, logged: () => lines.map(({ method, status }) => `${method} ${status}`) };
}

it("one in three successful reads is logged, and each write and each refusal", () => {
  const { answer, logged } = loggedRequests(3, () => true);
  for (let index = 0; index < 6; index += 1) answer("GET", 200);
  answer("POST", 202);
  answer("GET", 404);
  expect(logged()).toEqual(["GET 200", "GET 200", "POST 202", "GET 404"]);
});

it("what is beyond its account's share of the request log is not logged either", () => {
  const { answer, logged } = loggedRequests(1, (_request, { statusCode }) => statusCode !== 200);
  answer("GET", 200);
  answer("GET", 404);
  expect(logged()).toEqual(["GET 404"]);
});
