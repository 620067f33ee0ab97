/** What an upload can cost: memory of an account and of all, copies, and forms that are made to be expensive. */
import { fastify } from "fastify";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { loadContract } from "../../../../services/gateway/edge/http/contract.ts";
import { documentRoutes } from "../../../../services/gateway/edge/http/document-routes.ts";
import {
  createErrorHandler,
  type Problem,
} from "../../../../services/gateway/edge/http/problem.ts";
import { uploadMemory, type HeldBytes } from "../../../../services/gateway/edge/http/json-body.ts";
import { createLog } from "#runtime/log.ts";
import { errorOf } from "../../requests.ts";
import { allowNone } from "#runtime/address.ts";

const MAX_BYTES = 20_000_000;
const BOUNDARY = "x";
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

/** A server with one upload, whose handler is the test's. */
async function uploadServer(handle: (file: Uint8Array) => unknown) {
  const app = fastify();
  const contract = loadContract("media", allowNone, () => "");
  app.setErrorHandler(createErrorHandler(contract, createLog("test", "silent")));
  documentRoutes(app, {
    contract,
    memory: uploadMemory(),
    admit: async (request) => {
      const accountId = String(request.headers["account"]);
      const limits = { creates: 0, reads: 0 };
      const allowed = { restriction: undefined, limits, maxUnfinished: 0 };
      request.caller = { accountId, mode: "test", ...allowed };
      return undefined;
    },
    handlerOf: () => async (request, reply) => {
      const answer = await handle(request.body as Uint8Array);
      return reply.send(JSON.stringify(answer));
    },
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    send: (body: NonNullable<RequestInit["body"]>, type: string, account = "a") =>
      fetch(`http://127.0.0.1:${port}/files`, {
        method: "POST",
        headers: { "content-type": type, account },
        body,
        ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
      }),
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/** A form of parts that are given with their headers. */
const form = (parts: string | readonly string[]) =>
  [...[parts].flat().map((part) => `--${BOUNDARY}\r\n${part}\r\n`), `--${BOUNDARY}--\r\n`].join("");
const part = (name: string, content = "", more = "") =>
  `Content-Disposition: form-data; name="${name}"; filename="f"${more}\r\n\r\n${content}`;

describe("the memory for files", () => {
  it("has three of the largest of one account, and ten of all, until they are released", () => {
    const memory = uploadMemory();
    const held: HeldBytes[] = [];
    const outcomeOf = (account: string) => {
      const one = memory.hold(account);
      try {
        one.add(MAX_BYTES);
      } catch (error) {
        return (error as Problem).code;
      }
      held.push(one);
      return "held";
    };
    const refusedOf = (accounts: string) =>
      Array.from(accounts, (account) => `${account} ${outcomeOf(account)}`).filter(
        (outcome) => !outcome.endsWith("held"),
      );
    expect(refusedOf("aaaabbbcccdd")).toEqual(["a unavailable", "d unavailable"]);
    held.pop()?.release();
    expect(refusedOf("da")).toEqual(["a unavailable"]);
    for (const one of held) one.release();
    expect(refusedOf("aaa")).toEqual([]);
  });

  it("counts what was read of a file whose length is not told", async () => {
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    let arrive = () => {};
    await using server = await uploadServer(async () => {
      arrive();
      await end;
      return {};
    });
    const held: Promise<Response>[] = [];
    for (const account of "aaaaaabbbbbb") {
      const arrived = new Promise<void>((resolve) => void (arrive = resolve));
      const response = server.send(new Blob(["small"]).stream(), "image/png", account);
      held.push(response);
      await Promise.race([arrived, response]);
    }
    finish();
    const statuses = await Promise.all(held.map(async (response) => (await response).status));
    expect(statuses).toEqual(Array(12).fill(201));
  });

  it("has a file once", async () => {
    await using server = await uploadServer((file) => [file.length, file.buffer.byteLength]);
    const body = form(part("file", "p".repeat(1_000_000)));
    expect(await (await server.send(body, FORM)).json()).toEqual([1_000_000, 1_000_000]);
    const raw = await server.send("p".repeat(1_000_000), "image/png");
    expect(await raw.json()).toEqual([1_000_000, 1_000_000]);
  });
});

describe("a form", () => {
  const picture = part("file", "p");
  const tiny = Array.from({ length: 250_000 }, (_, at) => part(String(at)));
  const nine = Array.from({ length: 9 }, () => part("file"));
  const tooMany = "The form has more than 8 parts. Send the part file only.";

  it.each([
    [
      "a Content-Type without boundary",
      form(picture),
      "multipart/form-data",
      "The Content-Type of the form has no boundary. Let your client set that header.",
    ],
    ["tiny parts", form(tiny), FORM, tooMany],
    ["nine parts", form(nine), FORM, tooMany],
    [
      "no last delimiter",
      `--x\r\n${picture}`,
      FORM,
      "The body is not a form as its Content-Type says. Check what your client sends.",
    ],
  ])("with %s is refused with one short fault", async (_what, body, type, message) => {
    await using server = await uploadServer(() => ({}));
    const response = await server.send(body, type);
    const text = await response.clone().text();
    expect(text.length).toBeLessThan(1_000);
    expect(await errorOf(response)).toMatchObject({ status: 400, message });
  });
});
