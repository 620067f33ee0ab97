/** Bodies by what surrounds their JSON: size, type, encoding, and a connection that ends in them. */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";

const VIDEOS = "/v1/videos/generations";
const LEAST = { model: "m", prompt: "a cat" };
const MAX_BYTES = 256 * 1024;

const harness = useHarness();

const send = (path: string, body: unknown, more: Record<string, string> = {}) =>
  harness.send(path, post(harness.key.secret, body, more));

describe("a body", () => {
  it("is accepted up to 256 KiB; more is 413 on a connection that stays open", async () => {
    const padded = (bytes: number) => JSON.stringify(LEAST).padEnd(bytes, " ");
    expect((await send(VIDEOS, padded(MAX_BYTES))).status).toBe(202);
    for (const bytes of [MAX_BYTES + 1, 8 * 1024 * 1024]) {
      const response = await send(VIDEOS, padded(bytes));
      expect(response.status).toBe(413);
      expect(response.headers.get("connection")).not.toBe("close");
      expect(await errorOf(response)).toMatchObject({
        type: "invalid_request_error",
        code: "body_too_large",
      });
    }
  });

  it("that is too large is 413 even without Content-Length", async () => {
    const chunk = new Uint8Array(64 * 1024).fill(32);
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 100; i++) controller.enqueue(chunk);
        controller.close();
      },
    });
    const init = {
      method: "POST",
      headers: headersOf(harness.key.secret),
      body: stream,
      duplex: "half",
    };
    const response = await harness.send(VIDEOS, init as RequestInit);
    expect(response.status).toBe(413);
  });

  it.each([
    "text/plain",
    "application/xml",
    "application/jsonx",
    "application/vnd.api+json",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "json",
    ";",
  ])("of the type %s is 415", async (type) => {
    const response = await send(VIDEOS, LEAST, { "content-type": type });
    expect(response.status).toBe(415);
    expect(await errorOf(response)).toMatchObject({
      code: "unsupported_media_type",
      param: "Content-Type",
    });
  });

  it.each([
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
  ])("of the type %s is JSON", async (type) => {
    expect((await send(VIDEOS, LEAST, { "content-type": type })).status).toBe(202);
    expect((await send(VIDEOS, {}, { "content-type": type })).status).toBe(400);
  });

  it.each([
    ["gzip", 415],
    ["br", 415],
    ["Identity", 202],
  ])("with the Content-Encoding %s is %i", async (encoding, status) => {
    const response = await send(VIDEOS, LEAST, { "content-encoding": encoding });
    expect(response.status).toBe(status);
    if (status === 202) return;
    expect(await errorOf(response)).toMatchObject({
      code: "unsupported_media_type",
      param: "Content-Encoding",
    });
  });

  it("with no type at all is 415", async () => {
    const init = { method: "POST", headers: { authorization: `Bearer ${harness.key.secret}` } };
    const body = new TextEncoder().encode(JSON.stringify(LEAST));
    expect((await harness.send(VIDEOS, { ...init, body })).status).toBe(415);
  });

  it("that is cut off by a disconnect does not affect other requests", async () => {
    const socket = connect(Number(new URL(harness.url).port), "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    const head = [
      `POST ${VIDEOS} HTTP/1.1`,
      "host: x",
      `authorization: Bearer ${harness.key.secret}`,
      "content-type: application/json",
      "content-length: 1000",
      "",
      '{"model":',
    ];
    socket.write(head.join("\r\n"));
    socket.destroy();
    expect((await send(VIDEOS, LEAST)).status).toBe(202);
  });
});
