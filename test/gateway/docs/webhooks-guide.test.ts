/** The samples of the webhooks guide, run as they are on the page. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { hasPython, PYTHON, PYTHON_ENV } from "../../clients/python/python.ts";

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

function sampleIn(language: string): string {
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(GUIDE)?.[1] ?? "";
}

/** The output of a program that runs the source. */
function outputOf(program: string, args: string[], source: string): string {
  const env = { ...process.env, WEBHOOK_SECRET: SECRET, ...PYTHON_ENV };
  return execFileSync(program, args, { input: source, env, encoding: "utf8" });
}

describe("the webhooks guide", () => {
  it("verifies in TypeScript: 204 for a genuine event, 400 for a changed one", () => {
    const source = `
      const request = (body: string) => new Request("http://a.example.com", { method: "POST", headers: ${JSON.stringify(headers())}, body });
      const statuses = [await onWebhook(request(${JSON.stringify(BODY)})), await onWebhook(request("{}"))].map(({ status }) => status);
      console.log(statuses.join(" "));`;
    const sample = sampleIn("ts").replace(
      "media-generation-client",
      "./clients/typescript/index.ts",
    );
    const args = ["--input-type=module-typescript", "-"];
    expect(outputOf(process.execPath, args, `${sample}${source}`)).toBe("webhook.test\n204 400\n");
  });

  it.skipIf(!hasPython)("verifies in Python: 204 for a genuine event, 400 for others", () => {
    const calls = `
headers = ${JSON.stringify(headers())}
body = ${JSON.stringify(BODY)}.encode()
print(on_webhook(body, headers), on_webhook(b"{}", headers), on_webhook(body, {}))
print(on_webhook(body, {**headers, "webhook-timestamp": "1"}))
print(on_webhook(body, {name.title(): value for name, value in headers.items()}))
`;
    const output = outputOf(PYTHON, ["-"], `${sampleIn("python")}${calls}`);
    expect(output).toBe("webhook.test\n204 400 400\n400\nwebhook.test\n204\n");
  });
});
