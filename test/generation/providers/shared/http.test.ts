/** The providers' HTTP client keeps the key at its origin and its memory within bounds. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createApi } from "../../../../services/generation/providers/shared/http.ts";
import { startHttp } from "../../../support/http-server.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { endOf, never } from "../provider-under-test.ts";

const headers = { authorization: "Bearer the-key" };
const call = { method: "POST", path: "/jobs", json: {} } as const;

/** `seen`: the path and the headers of each request. */
async function recordingServer() {
  const seen: [path: string, authorization: unknown, agent: unknown][] = [];
  const server = await startHttp(({ url = "", headers: { authorization, ...more } }, response) => {
    seen.push([url, authorization, more["user-agent"]]);
    response.end("{}");
  });
  return { ...server, seen };
}

test("the key goes to the base URL's origin alone, also where the upstream names the address, and with the program's name", async () => {
  await using server = await recordingServer();
  await using other = await recordingServer();
  const api = createApi({ baseUrl: `${server.url}/v1`, clock: manualClock(), headers });
  const get = (path: string) => endOf(api.call({ method: "GET", path }, never));
  expect(await get("/jobs")).toBe("answered");
  expect(await get(`${server.url}/jobs/1/status`)).toBe("answered");
  expect(await get(`${other.url}/jobs/1/status`)).toContain("foreign address");
  expect(await get(`${server.url.replace("127.0.0.1", "127.0.0.1.elsewhere.test")}/x`)).toContain(
    "foreign address",
  );
  expect(await get("nonsense")).toContain("foreign address");
  await api.attempt(call, never);
  // Some hosts refuse programs that do not say which they are.
  const told = ["Bearer the-key", expect.stringMatching(/^media-generation\/\d+\.\d+\.\d+/)];
  const paths = ["/v1/jobs", "/jobs/1/status", "/v1/jobs"];
  expect(server.seen).toEqual(paths.map((path) => [path, ...told]));
  expect(other.seen).toEqual([]);
});

describe("a submit's outcome", () => {
  test("is lost where the body breaks off, is too long, or drips past the deadline", async () => {
    const clock = manualClock();
    await using server = await startHttp((request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      if (request.url?.startsWith("/long")) {
        return void response.end(Buffer.alloc(Number(request.url.slice("/long".length))));
      }
      response.write('{"id":');
      if (request.url === "/broken") {
        response.socket?.destroySoon();
        return;
      }
      response.write('"1"', () => clock.advance(60_001));
    });
    const api = createApi({ baseUrl: server.url, clock, headers });
    const post = (path: string) => api.attempt({ method: "POST", path, json: {} }, never);
    expect(await post("/broken")).toEqual({ kind: "lost", timedOut: false });
    expect(await post("/long64000000")).toMatchObject({ kind: "answered" });
    expect(await post("/long68000000")).toEqual({ kind: "lost", timedOut: false });
    await expect(api.call({ method: "GET", path: "/long17000000" }, never)).rejects.toThrow(
      "exceeded max size",
    );
    expect(await post("/drip")).toEqual({ kind: "lost", timedOut: true });
  });

  test.each(["goes on", "is set back"])(
    "is that nothing was sent where the process was paused after it had a connection, and the system's time %s",
    async (time) => {
      await using server = await recordingServer();
      const clock = manualClock();
      const began = clock.now();
      const now = () => (time === "goes on" ? clock.now() : began);
      const pause = () => clock.advance(4_001);
      subscribe("undici:client:connected", pause);
      onTestFinished(() => void unsubscribe("undici:client:connected", pause));
      const api = createApi({ baseUrl: server.url, clock: { ...clock, now }, headers });
      expect(await api.attempt(call, never)).toEqual({ kind: "not_sent" });
      expect(server.seen).toEqual([]);
    },
  );

  test("is that nothing was sent where the whole machine was suspended, and its monotonic clock with it", async () => {
    await using server = await startHttp((_, response) => void response.end("{}"));
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    // The time of the database goes on with the monotonic clock until it is measured again.
    const api = createApi({ baseUrl: server.url, clock: manualClock(), headers });
    const outcome = api.attempt(call, never);
    vi.setSystemTime(Date.now() + 4_001);
    expect(await outcome).toEqual({ kind: "not_sent" });
  });

  test("is lost where the upstream closes a kept connection as we send, and it is sent once", async () => {
    const used = new Set<unknown>();
    let seen = 0;
    await using server = await startHttp((request, response) => {
      seen += 1;
      if (used.has(request.socket)) response.destroy();
      else response.end("{}");
      used.add(request.socket);
    });
    const api = createApi({ baseUrl: server.url, clock: manualClock(), headers });
    const kinds = [];
    for (let n = 0; n < 6; n++) kinds.push((await api.attempt(call, never)).kind);
    expect(kinds).toContain("lost");
    expect(seen).toBe(6);
  });

  test("is not sent where there is no such host, no listener or no TLS, or it was broken off before", async () => {
    const server = await startHttp((_, response) => void response.end("{}"));
    const post = (baseUrl: string, signal = never) =>
      createApi({ baseUrl, clock: manualClock(), headers }).attempt(call, signal);
    expect(await post(server.url, AbortSignal.abort())).toEqual({ kind: "not_sent" });
    expect(await post("http://upstream.invalid")).toEqual({ kind: "not_sent" });
    expect(await post(server.url.replace("http:", "https:"))).toEqual({ kind: "not_sent" });
    await server[Symbol.asyncDispose]();
    expect(await post(server.url)).toEqual({ kind: "not_sent" });
  });
});
