/** Bodies by what surrounds their JSON: size, type, encoding, and a connection that ends in them. */
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
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    "Application/JSON",
  ])("of the type %s is JSON", async (type) => {
    expect((await send(VIDEOS, LEAST, { "content-type": type })).status).toBe(202);
    expect((await send(VIDEOS, {}, { "content-type": type })).status).toBe(400);
  });
});
