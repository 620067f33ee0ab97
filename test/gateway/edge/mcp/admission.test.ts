/** Who may use /mcp, and how much of it. */
import { MAX_STARTS } from "../../../../services/gateway/edge/http/json-body.ts";
import { MAX_MCP_BODY_BYTES } from "../../../../services/gateway/edge/mcp/mcp.ts";
import { sendByNode } from "../../../support/send-by-node.ts";
import { useHarness, type Key } from "../../harness.ts";
import { errorOf } from "../../requests.ts";
import { rawRequest } from "./clients.ts";

const harness = useHarness();

/** Sends a request, with a body that is not its own where one is given. */
const send = (
  raw: ReturnType<typeof rawRequest>,
  headers: Record<string, string> = {},
  body: RequestInit["body"] = raw.body,
) => {
  const init = { ...raw, headers: { ...raw.headers, ...headers }, body, duplex: "half" };
  return harness.send("/mcp", init as RequestInit);
};
const listRequest = (key = harness.key.secret) => rawRequest(key, "tools/list", {});

/** Calls the tool in a message of at least so many bytes, which are read as it is. */
const createBy = ({ secret }: Key, prompt: string, bytes = 0, more = {}) => {
  const input = { model: "beta-3.0-video", prompt, idempotency_key: "wish", ...more };
  const raw = rawRequest(secret, "tools/call", { name: "generate_video", arguments: input });
  return send(raw, {}, raw.body.padEnd(bytes));
};
const PENDING = { result: { structuredContent: { status: "pending" } } };

/** The bucket fills while it is emptied. */
async function firstRefused(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  return response.ok ? firstRefused(send) : response;
}

describe("admission to /mcp", () => {
  it("takes an API key, which it asks for before anything else is told, and has no stream and no sessions", async () => {
    expect((await send(listRequest())).status).toBe(200);
    for (const [authorization, code] of [
      ["", "missing_api_key"],
      ["Bearer mg_test_wrong", "invalid_api_key"],
    ] as const) {
      const response = await send(listRequest(""), { authorization });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(await errorOf(response)).toMatchObject({ status: 401, code });
    }
    for (const method of ["GET", "DELETE"]) {
      expect((await harness.send("/mcp", { method })).status).toBe(401);
      expect((await harness.sendBare(method, "/mcp")).status).toBe(405);
    }
  });

  it("refuses pages of other sites, and a name that another site made lead here", async () => {
    const foreign = await send(listRequest(), { origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({ jsonrpc: "2.0", id: null });
    const own = await send(listRequest(), { origin: new URL(harness.url).origin });
    expect(own.status).toBe(200);
    const statusOf = async (host: string) => {
      const { headers, body, method } = listRequest();
      const init = { method, headers: { ...headers, host } };
      return (await sendByNode(`${harness.url}/mcp`, init, (sent) => sent.end(body))).status;
    };
    expect(await statusOf("evil.example")).toBe(403);
    expect(await statusOf("127.0.0.1:8080")).toBe(200);
  });

  const ACCEPTED = ["*/*", "application/*, TEXT/EVENT-STREAM"];

  it.each(ACCEPTED)("takes, with a slash at its end, a client that accepts %s", async (accept) => {
    const { headers, ...init } = listRequest();
    const answer = await harness.send("/mcp/", { ...init, headers: { ...headers, accept } });
    expect(answer.status).toBe(200);
  });

  it("reads no more than its limit, whether or not the length is told, and no message of more parts than the longest prompts have", async () => {
    const body = "x".repeat(MAX_MCP_BODY_BYTES + 1);
    const longest = await createBy(harness.key, "a".padEnd(5_000, ","), 0, {
      negative_prompt: "[".repeat(2_000),
    });
    expect(await longest.json()).toMatchObject(PENDING);
    for (const refused of [
      send(listRequest(), {}, body),
      send(listRequest(), {}, new Blob([body]).stream()),
      createBy(harness.key, "a".padEnd(MAX_STARTS, ",")),
    ]) {
      expect(await errorOf(refused)).toMatchObject({ status: 413, code: "body_too_large" });
    }
  });

  const LARGE_BYTES = 300_000;

  it("works on one large message of an account at a time", async () => {
    const answer = harness.hold("createVideo");
    const prompts = () => harness.requestsTo("createVideo").map(({ input }) => input?.prompt);
    const [one, other] = [await harness.newKey(), await harness.newKey()];
    const sent = [createBy(one, "first", LARGE_BYTES)];
    await expect.poll(prompts).toEqual(["first"]);
    sent.push(createBy(one, "second", LARGE_BYTES), createBy(other, "foreign", LARGE_BYTES));
    await expect.poll(prompts).toContain("foreign");
    sent.push(createBy(one, "small"));
    await expect.poll(prompts).toEqual(["first", "foreign", "small"]);
    answer();
    for (const answered of await Promise.all(sent))
      expect(await answered.json()).toMatchObject(PENDING);
    expect(prompts()).toContain("second");
  });

  it("holds no more of an account's messages than it may have in memory", async () => {
    const { body, headers, method } = listRequest();
    const large = body.padEnd(MAX_MCP_BODY_BYTES);
    const left = new AbortController();
    const length = { "content-length": MAX_MCP_BODY_BYTES };
    const init = { method, headers: { ...headers, ...length }, signal: left.signal };
    // None comes whole, so that all that has come stays in memory.
    const begun = Array.from({ length: 15 }, () =>
      sendByNode(`${harness.url}/mcp`, init, (sent) => sent.write(large.slice(1))),
    );
    const refused = await Promise.race(begun);
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code: "unavailable" } });
    left.abort();
    await Promise.allSettled(begun);
    await expect.poll(async () => (await send(listRequest(), {}, large)).status).toBe(200);
  });

  it("takes one message at a time, in JSON", async () => {
    const { body } = listRequest();
    const many = await errorOf(send(listRequest(), {}, `[${body},${body}]`));
    expect(many).toMatchObject({ status: 400, code: "invalid_value" });
    const broken = await send(listRequest(), {}, "{");
    const error = { code: -32_700, message: expect.stringContaining("not JSON") };
    expect(broken.status).toBe(400);
    expect(await broken.json()).toMatchObject({ jsonrpc: "2.0", id: null, error });
    expect((await send(listRequest(), { "content-type": "text/plain" })).status).toBe(415);
  });

  it("counts each request as a read, and what a tool creates as a create", async () => {
    const key = await harness.newKey();
    const limits = { createsPerMinute: 1, readsPerMinute: 5 };
    await harness.accounts.setLimits({ accountId: key.accountId, ...limits });
    const first = await createBy(key, "one");
    expect(first.headers.get("ratelimit")).toContain(`"reads"`);
    expect(await first.json()).toMatchObject(PENDING);
    expect(await (await createBy(key, "two")).text()).toContain("rate_limited");
    const refused = await firstRefused(() => send(listRequest(key.secret)));
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
  });
});
