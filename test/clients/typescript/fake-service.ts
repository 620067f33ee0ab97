/** A client on a fake fetch with prepared responses; its clock advances only while it sleeps. */
import { createClient, type ClientOptions } from "../../../clients/typescript/index.ts";

/** A response, an error that fetch throws, or a function of the request. */
type FakeAnswer = Response | Error | ((request: Request) => Response | Promise<Response>);

const START_MS = Date.parse("2026-11-17T12:00:00Z");

/** Responds with `answers` in order, and with the last one from then on. */
export function fakeService(answers: FakeAnswer[], options: Partial<ClientOptions> = {}) {
  /** Oldest first. */
  const requests: Request[] = [];
  /** The delays, in milliseconds. */
  const slept: number[] = [];
  let nowMs = START_MS;
  const client = createClient({
    apiKey: "mgs_test_example",
    baseUrl: "https://media.example.com/v1",
    fetch: async (request) => {
      requests.push(request.clone());
      const unread = request.clone();
      // Like the real fetch, which consumes the request's body.
      await request.arrayBuffer();
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      if (typeof answer === "function") return answer(unread);
      if (!answer) throw new Error("no answer is prepared");
      return answer.clone();
    },
    timing: {
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        slept.push(ms);
        nowMs += ms;
      },
      random: () => 0,
      nowMs: () => nowMs,
    },
    ...options,
  });
  return { client, requests, slept };
}

export function ok(body: object, headers: Record<string, string> = {}): Response {
  return Response.json(body, { headers });
}

export function refusal(
  status: number,
  error: { type: string; code: string } & Record<string, unknown>,
  headers: Record<string, string> = {},
): Response {
  const body = { error: { message: "Do this.", request_id: "req_1", ...error } };
  return Response.json(body, { status, headers });
}

export const unavailable = (headers: Record<string, string> = {}): Response =>
  refusal(503, { type: "api_error", code: "unavailable" }, headers);
