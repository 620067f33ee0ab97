/** The page of the error codes, before the whole service. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import document from "../../../gen/openapi/media.json" with { type: "json" };
import { newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";
import { headersOf, type ErrorAnswer } from "../requests.ts";

type Note = { to?: string; param?: string; wrong?: string; right?: string };

const notes = parse(readFileSync("services/gateway/docs/error-notes.yaml", "utf8")) as Record<
  string,
  Note
>;
const shown = Object.entries(notes).filter(([, { wrong }]) => wrong !== undefined);

const service = await sharedService();
const key = await (await newCustomer(service)).key("test");

async function send(to: string, body: string) {
  const [method = "", path = ""] = to.split(" ");
  const answer = await fetch(`${service.url}/v1${path}`, { method, headers: headersOf(key), body });
  return ((await answer.json()) as Partial<ErrorAnswer>).error;
}

describe("the page of the error codes", () => {
  const page = async () => (await fetch(`${service.url}/docs/errors.md`)).text();

  it("has each code of the document, and no other, why it happens and what to do", async () => {
    const codes = [...new Set(document["x-error-codes"].map(({ code }) => code))];
    expect(new Set(Object.keys(notes))).toEqual(new Set(codes));
    const parts = (await page()).split(/^## /m).slice(1);
    expect(parts.map((part) => /^`(.+?)`/.exec(part)?.[1])).toEqual(codes);
    for (const part of parts) expect(part).toMatch(/Why it happens\.\*\* .+What to do\.\*\* /s);
    // The OpenAI dialect has one of its own.
    const twice = parts.find((part) => part.startsWith("`not_finished`"));
    expect(twice).toMatch(/^\*\*409, `conflict_error`\..*^\*\*400, `invalid_request_error`\./ms);
  });

  it.each(shown)("shows a request that is answered %s, and the same mended", async (code, note) => {
    const { to = "POST /videos/generations", param, wrong = "", right = "" } = note;
    const refused = await send(to, wrong);
    expect([refused?.code, refused?.param]).toEqual([code, param]);
    const [, part = ""] = (await page()).split(`\n## \`${code}\`\n`);
    const [own] = part.split("\n## ");
    expect(own).toContain(wrong);
    expect(own).toContain(right);
    expect(own).toContain(JSON.stringify(refused?.message));
    // A picture that is not there ends an image later, as one of the request's own faults would not.
    const mended = await send(to, right);
    expect(mended?.type ?? "generation_error").toBe("generation_error");
  });
});
