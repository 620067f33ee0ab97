/** The pages of the error codes, before the whole service. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import document from "../../../gen/openapi/media.json" with { type: "json" };
import { newCustomer } from "../../support/customer.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";

type Note = { to?: string; param?: string; wrong?: string; right?: string };

const notes = parse(readFileSync("services/gateway/docs/error-notes.yaml", "utf8")) as Record<
  string,
  Note
>;
const shown = Object.entries(notes).filter(([, { wrong }]) => wrong !== undefined);

let service: SharedService;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = await (await newCustomer(service)).key("test");
});

async function send(to: string, body: string) {
  const [method = "", path = ""] = to.split(" ");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await fetch(`${service.url}/v1${path}`, { method, headers, body });
  const { error } = (await answer.json()) as { error?: Record<string, unknown> };
  return { status: answer.status, error };
}

describe("the pages of the error codes", () => {
  it("are there for each code of the document, and for no other", () => {
    const codes = new Set(document["x-error-codes"].map(({ code }) => code));
    expect(new Set(Object.keys(notes))).toEqual(codes);
  });

  it.each(shown)("show a request that is answered %s, and the same mended", async (code, note) => {
    const { to = "POST /videos/generations", param, wrong = "", right = "" } = note;
    const refused = await send(to, wrong);
    expect([refused.error?.["code"], refused.error?.["param"]]).toEqual([code, param]);
    const page = await (await fetch(String(refused.error?.["doc_url"]).concat(".md"))).text();
    expect(page).toContain(wrong);
    expect(page).toContain(right);
    expect(page).toContain(`"message": ${JSON.stringify(refused.error?.["message"])},`);
    // A picture that is not there ends an image later, as one of the request's own faults would not.
    const mended = await send(to, right);
    expect(mended.error?.["type"] ?? "generation_error").toBe("generation_error");
  });

  it("lead from a lack of Tokens, and of production access, to how to get them", async () => {
    const guide = await (await fetch(`${service.url}/docs/guides/spending`)).text();
    expect(guide).toContain('<h2 id="get-tokens">');
    for (const code of ["insufficient_tokens", "production_access_required"]) {
      const page = await (await fetch(`${service.url}/docs/errors/${code}.md`)).text();
      expect(page).toContain("](/docs/guides/spending.md#get-tokens)");
    }
  });

  it("say why, what to do and how the answer looks, with a heading larger than the text", async () => {
    for (const code of Object.keys(notes)) {
      const page = await (await fetch(`${service.url}/docs/errors/${code}.md`)).text();
      expect(page).toMatch(/^## Why it happens\n\n.+^## What to do\n\n/ms);
      const [problem = ""] = /^\{\n {2}"error": \{.*?^\}/ms.exec(page) ?? [];
      const { error } = JSON.parse(problem) as { error: Record<string, string> };
      expect(error).toMatchObject({
        code,
        type: expect.any(String) as string,
        message: expect.any(String) as string,
        doc_url: `${service.url}/docs/errors/${code}`,
      });
    }
    const styles = await (await fetch(`${service.url}/docs/files/page.css`)).text();
    const ofCode = styles.indexOf("\ncode,");
    expect(styles.indexOf(":is(h1, h2, h3) code {\n  font-size: inherit;")).toBeGreaterThan(ofCode);
  });
});
