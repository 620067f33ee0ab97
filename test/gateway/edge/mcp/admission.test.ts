/** Who may use /mcp, and how much of it. */
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import Fastify, { type FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { MAX_STARTS } from "../../../../services/gateway/edge/http/json-body.ts";
import { callApi } from "../../../../services/gateway/edge/mcp/tool.ts";
import { MAX_MCP_BODY_BYTES } from "../../../../services/gateway/edge/mcp/mcp.ts";
import { useHarness, type Key } from "../../harness.ts";
import { errorOf } from "../../requests.ts";
import { rawRequest } from "./clients.ts";

const harness = useHarness();

const listTools = (key: string, headers: Record<string, string> = {}) => {
  const { headers: own, ...init } = rawRequest(key, "tools/list", {});
  return harness.send("/mcp", { ...init, headers: { ...own, ...headers } });
};

/** The bucket fills while it is emptied. */
async function firstRefused(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  return response.ok ? firstRefused(send) : response;
}

describe("admission to /mcp", () => {
  it("takes an API key, and answers 401 with how to send one without", async () => {
    expect((await listTools(harness.key.secret)).status).toBe(200);
    for (const [authorization, code] of [
      ["", "missing_api_key"],
      ["Bearer mg_test_wrong", "invalid_api_key"],
    ] as const) {
      const response = await listTools("", { authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(await errorOf(response)).toMatchObject({ code });
    }
  });

  it("is asked for before anything else is told, whatever the method", async () => {
    for (const method of ["GET", "POST", "DELETE"]) {
      expect((await harness.send("/mcp", { method })).status).toBe(401);
    }
  });

  it("has no stream of its own and no sessions to delete", async () => {
    const headers = { authorization: `Bearer ${harness.key.secret}` };
    for (const method of ["GET", "DELETE"]) {
      expect((await harness.send("/mcp", { method, headers })).status).toBe(405);
    }
  });

  it("refuses pages of other sites, and takes one of its own", async () => {
    const foreign = await listTools(harness.key.secret, { origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({ jsonrpc: "2.0", id: null });
    const own = await listTools(harness.key.secret, { origin: new URL(harness.url).origin });
    expect(own.status).toBe(200);
  });

  it("refuses a name that another site made lead here", async () => {
    const statusOf = async (host: string) => {
      const { headers, body, method } = rawRequest(harness.key.secret, "tools/list", {});
      // fetch does not send another name.
      const sent = request(`${harness.url}/mcp`, { method, headers: { ...headers, host } });
      const [answer] = (await once(sent.end(body), "response")) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    expect(await statusOf("evil.example")).toBe(403);
    expect(await statusOf("127.0.0.1:8080")).toBe(200);
  });

  it("has a slash at its end, or none, and takes clients that accept anything", async () => {
    const { headers, ...init } = rawRequest(harness.key.secret, "tools/list", {});
    for (const accept of ["*/*", "application/*, TEXT/EVENT-STREAM", headers["accept"] ?? ""]) {
      const answer = await harness.send("/mcp/", { ...init, headers: { ...headers, accept } });
      expect(answer.status).toBe(200);
    }
  });

  it("reads no more than its limit, whether or not the length is told", async () => {
    const body = "x".repeat(MAX_MCP_BODY_BYTES + 1);
    const { headers } = rawRequest(harness.key.secret, "tools/list", {});
    const told = await harness.send("/mcp", { method: "POST", headers, body });
    expect(told.status).toBe(413);
    expect((await errorOf(told)).code).toBe("body_too_large");
    const chunked = await harness.send("/mcp", {
      method: "POST",
      headers,
      body: new Blob([body]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(chunked.status).toBe(413);
  });

  it("reads no message of more parts than the longest prompts have", async () => {
    const call = (prompt: string) =>
      harness.send(
        "/mcp",
        rawRequest(harness.key.secret, "tools/call", {
          name: "generate_video",
          arguments: {
            model: "beta-3.0-video",
            prompt,
            negative_prompt: "[".repeat(2_000),
            idempotency_key: "commas",
          },
        }),
      );
    const longest = await call("a".padEnd(5_000, ","));
    expect(await longest.json()).toMatchObject({
      result: { structuredContent: { status: "pending" } },
    });
    const refused = await call("a".padEnd(MAX_STARTS, ","));
    expect([refused.status, (await errorOf(refused)).code]).toEqual([413, "body_too_large"]);
  });

  /** A create of so many bytes, which are read as it is. */
  const createOf = ({ secret }: Key, prompt: string, bytes: number) => {
    const input = { model: "beta-3.0-video", prompt, idempotency_key: prompt };
    const params = { name: "generate_video", arguments: input };
    const { body, ...init } = rawRequest(secret, "tools/call", params);
    return harness.send("/mcp", { ...init, body: body.padEnd(bytes) });
  };
  /** Creates reach generation, and are answered once `open` is called. */
  const gate = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const answer = harness.backends.createVideo;
    const prompts: (string | undefined)[] = [];
    const held = async (request: Parameters<typeof answer>[0]) => {
      prompts.push(request.input?.prompt);
      await promise;
      return answer(request);
    };
    // The fake service waits for promises too.
    harness.backends.createVideo = held as unknown as typeof answer;
    return { prompts, open: resolve };
  };
  const LARGE_BYTES = 300_000;

  it("works on one large message of an account at a time", async () => {
    const { prompts, open } = gate();
    const [one, other] = [await harness.newKey(), await harness.newKey()];
    const first = createOf(one, "first", LARGE_BYTES);
    await expect.poll(() => prompts).toEqual(["first"]);
    const second = createOf(one, "second", LARGE_BYTES);
    const foreign = createOf(other, "foreign", LARGE_BYTES);
    await expect.poll(() => prompts).toContain("foreign");
    const small = createOf(one, "small", 0);
    await expect.poll(() => prompts).toEqual(["first", "foreign", "small"]);
    open();
    for (const answer of await Promise.all([first, second, foreign, small])) {
      expect(await answer.json()).toMatchObject({
        result: { structuredContent: { status: "pending" } },
      });
    }
    expect(prompts).toContain("second");
  });

  it("holds no more of an account's messages than it may have in memory", async () => {
    const { prompts, open } = gate();
    const first = createOf(harness.key, "held", LARGE_BYTES);
    await expect.poll(() => prompts).toEqual(["held"]);
    const { headers, body } = rawRequest(harness.key.secret, "tools/list", {});
    const init = { method: "POST", headers, body: body.padEnd(MAX_MCP_BODY_BYTES) };
    const more = Array.from({ length: 15 }, () => harness.send("/mcp", init));
    const refused = await Promise.race(more);
    expect([refused.status, (await errorOf(refused)).code]).toEqual([503, "unavailable"]);
    open();
    const statuses = (await Promise.all([first, ...more])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(10);
  });

  it("has no subscription, because its tools never change", async () => {
    const params = { notifications: { toolsListChanged: true } };
    const answer = await harness.send(
      "/mcp",
      rawRequest(harness.key.secret, "subscriptions/listen", params),
    );
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(await answer.json()).toMatchObject({ error: { message: "Subscription limit reached" } });
  });

  it("calls the API from the address of its client", async () => {
    await using app = Fastify();
    app.get("/address", async ({ ip }) => ({ ip }));
    const request = { ip: "203.0.113.9", headers: {}, id: "req_1" } as FastifyRequest;
    const { body } = await callApi(app, request, () => {})({ method: "GET", path: "/address" });
    expect(body).toEqual({ ip: "203.0.113.9" });
  });

  it("takes one message at a time, in JSON", async () => {
    const { headers, body } = rawRequest(harness.key.secret, "tools/list", {});
    const post = (text: string) => harness.send("/mcp", { method: "POST", headers, body: text });
    const many = await post(`[${body},${body}]`);
    expect([many.status, (await errorOf(many)).code]).toEqual([400, "invalid_value"]);
    const broken = await post("{");
    expect([broken.status, await broken.json()]).toMatchObject([
      400,
      {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32_700, message: expect.stringContaining("not JSON") },
      },
    ]);
    const other = { ...headers, "content-type": "text/plain" };
    expect((await harness.send("/mcp", { method: "POST", headers: other, body })).status).toBe(415);
  });

  it("counts each request as a read, and what a tool creates as a create", async () => {
    const { accountId, secret } = await harness.newKey();
    await harness.accounts.setLimits({ accountId, createsPerMinute: 1, readsPerMinute: 5 });
    const create = (key: string) =>
      harness.send(
        "/mcp",
        rawRequest(secret, "tools/call", {
          name: "generate_video",
          arguments: { model: "beta-3.0-video", prompt: "a cat", idempotency_key: key },
        }),
      );
    const textOf = async (response: Response) => JSON.stringify(await response.json());
    const first = await create("one");
    expect(first.headers.get("ratelimit")).toContain(`"reads"`);
    expect(await textOf(first)).not.toContain("isError");
    expect(await textOf(await create("two"))).toContain("rate_limited");
    const refused = await firstRefused(() => listTools(secret));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await errorOf(refused)).code).toBe("rate_limited");
  });
});
