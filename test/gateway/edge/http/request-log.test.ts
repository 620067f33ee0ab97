/** Which requests have a line in the log. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { systemClock } from "#runtime/clock.ts";
import { recordRequest, requestLog } from "../../../../services/gateway/edge/http/app-hooks.ts";

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

it("an API key in a path is not kept", () => {
  const paths: string[] = [];
  const record = recordRequest({
    clock: systemClock,
    requestLog: { record: ({ path }) => paths.push(path) > 0 },
  });
  const key = `mgs_live_${"a1".repeat(19)}`;
  for (const url of [`/v1/videos/${key}`, `/v1/${key.slice(0, 20)}?key=${key}`]) {
    const request = { caller: { keyId: "key_1" }, url, params: {}, routeOptions: {} };
    record(request as FastifyRequest, { statusCode: 404, elapsedTime: 1 } as FastifyReply);
  }
  expect(paths).toEqual(["/v1/videos/mgs_live_…", "/v1/mgs_live_…"]);
});
