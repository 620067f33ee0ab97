/** What an upload can cost: memory of an account and of all, and forms that are made to be expensive. */
import { describe, expect, it } from "vitest";
import type { Problem } from "../../../../services/gateway/edge/http/problem.ts";
import { uploadMemory, type HeldBytes } from "../../../../services/gateway/edge/http/json-body.ts";
import { useHarness } from "../../harness.ts";
import { errorOf } from "../../requests.ts";

const MAX_BYTES = 20_000_000;
const BOUNDARY = "x";
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

const harness = useHarness();

const send = (body: RequestInit["body"], type: string, { sendBytes } = harness.key) =>
  sendBytes("/v1/files", body, { "content-type": type });

/** A form of parts that are given with their headers. */
const form = (parts: string | readonly string[]) =>
  [...[parts].flat().map((part) => `--${BOUNDARY}\r\n${part}\r\n`), `--${BOUNDARY}--\r\n`].join("");
const part = (name: string, content = "") =>
  `Content-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n${content}`;

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
    const { createFile } = harness.backends;
    harness.backends.createFile = (async (request: Parameters<typeof createFile>[0]) => {
      await end;
      return createFile(request);
    }) as never;
    const held: Promise<Response>[] = [];
    for (const key of [harness.key, await harness.newKey()].flatMap((one) => Array(6).fill(one))) {
      held.push(send(new Blob(["small"]).stream(), "image/png", key));
      await expect.poll(() => harness.requestsTo("createFile").length).toBe(held.length);
    }
    finish();
    const statuses = (await Promise.all(held)).map(({ status }) => status);
    expect(statuses).toEqual(Array(12).fill(201));
  });
});

describe("a form", () => {
  const picture = part("file", "p");
  const nine = Array.from({ length: 9 }, () => part("file"));
  const tiny = Array.from({ length: 250_000 }, (_, at) => part(String(at)));

  it.each([
    ["no boundary in its type", form(picture), "multipart/form-data", "has no boundary"],
    ["nine parts", form(nine), FORM, "more than 8 parts"],
    ["tiny parts", form(tiny), FORM, "more than 8 parts"],
    ["no last delimiter", `--x\r\n${picture}`, FORM, "is not a form as its Content-Type says"],
  ])("with %s is refused with one short fault", async (_what, body, type, said) => {
    const response = await send(body, type);
    const text = await response.clone().text();
    expect(text.length).toBeLessThan(1_000);
    const message = expect.stringContaining(said);
    expect(await errorOf(response)).toMatchObject({ status: 400, message });
  });
});
