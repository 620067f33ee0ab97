/** The samples of the webhooks guide, run as they are on the page. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { signedHeaders, signingKey } from "../../../services/delivery/domain/signature.ts";
import { nextAttemptAt } from "../../../services/delivery/domain/delivery.ts";
import { hasPython, outputOfPython } from "../../clients/python/python.ts";

const GUIDE = readFileSync("services/gateway/docs/guides/webhooks.md", "utf8");
const SECRET = `whsec_${Buffer.from("a secret of 24 characters").toString("base64")}`;
const BODY = '{"type":"webhook.test","text":"für"}';

const headers = () => {
  const now = new Date();
  const signature = new Webhook(SECRET).sign("msg_1", now, BODY);
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    // As after a rotation of the secret.
    "webhook-signature": `v1,bm8= ${signature}`,
  };
};

/** The first sample in the language below the heading. */
function sampleIn(language: string, heading = "Verify signatures"): string {
  const below = GUIDE.slice(GUIDE.indexOf(`# ${heading}`));
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(below)?.[1] ?? "";
}

/** The event with its signature that readers try their own code with. */
function testVector(): Record<string, string> {
  const lines = sampleIn("text").trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s)));
}

/** What Node prints that runs the source. */
function inNode(type: "module" | "module-typescript", input: string): string {
  const env = { ...process.env, WEBHOOK_SECRET: SECRET };
  const args = [`--input-type=${type}`, "-"];
  return execFileSync(process.execPath, args, { input, env, encoding: "utf8" });
}

const inPython = (source: string) => outputOfPython(source, { WEBHOOK_SECRET: SECRET });

describe("the webhooks guide", () => {
  it("verifies in TypeScript: 204 for a genuine event, 400 for a changed one", () => {
    const source = `
      const request = (body: string) => new Request("http://a.example.com", { method: "POST", headers: ${JSON.stringify(headers())}, body });
      const statuses = [await onWebhook(request(${JSON.stringify(BODY)})), await onWebhook(request("{}"))].map(({ status }) => status);
      console.log(statuses.join(" "));`;
    const client = "./clients/typescript/index.ts";
    const sample = sampleIn("ts").replace("media-generation-client", client);
    const output = inNode("module-typescript", sample + source);
    expect(output).toBe("webhook.test\n204 400\n");
  });

  it.skipIf(!hasPython)("verifies in Python: 204 for a genuine event, 400 for others", async () => {
    const calls = `
headers = ${JSON.stringify(headers())}
body = ${JSON.stringify(BODY)}.encode()
print(on_webhook(body, headers), on_webhook(b"{}", headers), on_webhook(body, {}))
print(on_webhook(body, {**headers, "webhook-timestamp": "1"}))
print(on_webhook(body, {name.title(): value for name, value in headers.items()}))
`;
    const output = await inPython(`${sampleIn("python")}${calls}`);
    expect(output).toBe("webhook.test\n204 400 400\n400\nwebhook.test\n204\n");
  });

  it("has a test vector that the service itself signs so", () => {
    const { secret = "", body = "", ...vector } = testVector();
    const signable = {
      id: vector["webhook-id"] ?? "",
      timestampSeconds: Number(vector["webhook-timestamp"]),
      body: Buffer.from(body),
    };
    const headers = signedHeaders([signingKey(secret)], signable);
    expect(vector["webhook-signature"]).toBe(headers["webhook-signature"]);
  });

  /** What is called with, as JSON: the vector, two signatures, the vector long after, another body, an event of now. */
  const calls = () => {
    const { secret = "", body = "", ...vector } = testVector();
    const rotated = { ...vector, "webhook-signature": `v1,bm8= ${vector["webhook-signature"]}` };
    const now = Number(vector["webhook-timestamp"]);
    const all = [
      [body, vector, secret, now],
      [body, rotated, secret, now],
      [body, vector, secret],
      [`${body} `, vector, secret, now],
      [BODY, headers(), SECRET],
    ];
    return JSON.stringify(all);
  };
  const FOUND = "true true false false true\n";

  it("verifies in Node without a library: the test vector, and an event signed now", () => {
    const sample = sampleIn("js", "Without a library");
    const source = `${sample}\nconsole.log(...${calls()}.map((args) => isGenuine(...args)));`;
    expect(inNode("module", source)).toBe(FOUND);
  });

  it.skipIf(!hasPython)("verifies in Python without a library (needs python3)", async () => {
    const sample = sampleIn("python", "Without a library");
    const source = `print(*[is_genuine(body.encode(), *rest) for body, *rest in ${calls()}])`;
    expect((await inPython(`${sample}\n${source}\n`)).toLowerCase()).toBe(FOUND);
  });

  it("has the waits that deliveries have", () => {
    const endedAt = new Date(0);
    const waitMs = (attemptsMade: number) =>
      Number(nextAttemptAt({ attemptsMade, endedAt }, () => 0.5));
    const units: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000 };
    const named = [
      ...(/follow in ([^.]*?),\seach/.exec(GUIDE)?.[1] ?? "").matchAll(/(\d+)\s(\w+)/g),
    ];
    expect(named.map(([, count, unit = ""]) => Number(count) * (units[unit] ?? 0))).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map(waitMs),
    );
  });
});
