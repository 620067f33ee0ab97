/** Logs: what a line can hold; `process-end.test.ts` says that none is lost. */
import { createLog } from "#runtime/log.ts";
import type { LogFields } from "#runtime/log-fields.ts";
import { inContext } from "#runtime/work-context.ts";

const SECRET = "s3cret-s3cret";

describe("a log line", () => {
  const lineOf = (fields: object) => {
    let line = "{}";
    const log = createLog("test", "info", { write: (text) => void (line = text) });
    log.info(fields as LogFields, "said");
    return { text: line, fields: JSON.parse(line) as Record<string, unknown> };
  };

  it.each([
    ["a field that is not listed", { prompt: SECRET, token: SECRET }],
    ["an object in a listed field", { key: { secret: SECRET }, reason: [{ prompt: SECRET }] }],
    ["properties of an error", { err: Object.assign(new Error("no"), { request: SECRET }) }],
    ["the cause of an error", { err: new Error("no", { cause: { body: SECRET } }) }],
    ["the id of an upstream's job", { upstream_id: SECRET }],
    ["the host that a client named", { host: SECRET, url: SECRET }],
    ["a path in a message", { err: new Error(`GET https://a.example/jobs/${SECRET} failed`) }],
    ["a query in a message", { err: new Error(`GET https://a.example/b?key=${SECRET} failed`) }],
    ["a password in a message", { err: new Error(`postgres://u:${SECRET}@db:5432 is gone`) }],
    ["lines of a message", { err: new SyntaxError(`no\n${SECRET}`) }],
    ["what a parser quotes", { err: thrownBy(() => JSON.parse(`{"prompt": ${SECRET}`)) }],
    ["what Node quotes", { err: thrownBy(() => Buffer.alloc(SECRET as never)) }],
    ["what Postgres quotes", { err: postgresError(`invalid input: "${SECRET}"`) }],
    ["what is thrown that is no error", { err: SECRET }],
  ])("holds no secret from %s", (_what, fields) => {
    expect(lineOf({ model: "m", ...fields }).text).not.toContain(SECRET);
  });

  it("has the listed fields, and of an error its kind, message, place and causes", () => {
    const err = new TypeError("refused", { cause: new Error("below") });
    expect(lineOf({ model: "m", ms: 3, upstreams: ["a"], err }).fields).toMatchObject({
      service: "test",
      msg: "said",
      model: "m",
      ms: 3,
      upstreams: ["a"],
      err: {
        type: "TypeError",
        message: "refused",
        stack: expect.stringContaining("log.test.ts"),
        cause: { type: "Error", message: "below" },
      },
    });
  });

  it("names the request and the trace that it belongs to", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const { fields } = await inContext({ requestId: "req_12345678", traceparent }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return lineOf({});
    });
    expect(fields).toMatchObject({
      request_id: "req_12345678",
      trace_id: "0af7651916cd43dd8448eb211c80319c",
    });
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function postgresError(message: string): Error {
  return Object.assign(new Error(message), { name: "PostgresError", code: "22P02" });
}
