/** The samples of the webhooks guide, run as they are on the page. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "../../../services/delivery/domain/delivery.ts";
import type { EgressErrorCode } from "../../../services/delivery/egress/request.ts";
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

/** The sample in the language that needs no library. */
function sampleIn(language: string): string {
  const below = GUIDE.slice(GUIDE.indexOf("# Without a library"));
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(below)?.[1] ?? "";
}

/** The event with its signature that readers try their own code with. */
function testVector(): Record<string, string> {
  const lines = sampleIn("text").trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s)));
}

/** What Node prints that runs the source. */
const inNode = (input: string) =>
  execFileSync(process.execPath, ["--input-type=module", "-"], { input, encoding: "utf8" });

describe("the webhooks guide", () => {
  it("and the reference say what each error of an attempt is", () => {
    const errors: Record<EgressErrorCode, true> = {
      blocked_address: true,
      connection_refused: true,
      connection_reset: true,
      dns_error: true,
      network_error: true,
      timeout: true,
      tls_error: true,
      too_large_headers: true,
    };
    const table = GUIDE.slice(GUIDE.indexOf("| `error` |"), GUIDE.indexOf("- **A URL is disabled"));
    const told = [...table.matchAll(/^\| `(\w+_\w+|timeout)` /gm)].map(([, code]) => String(code));
    expect(told.toSorted()).toEqual(Object.keys(errors));
    const api = readFileSync("openapi/media.yaml", "utf8");
    const [described = ""] = /Why there was no answer; [^]*?says\s+what to do/.exec(api) ?? [];
    for (const code of told) expect(described).toContain(`\`${code}\``);
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
    const sample = sampleIn("js");
    const source = `${sample}\nconsole.log(...${calls()}.map((args) => isGenuine(...args)));`;
    expect(inNode(source)).toBe(FOUND);
  });

  it.skipIf(!hasPython)("verifies in Python without a library (needs python3)", async () => {
    const sample = sampleIn("python");
    const source = `print(*[is_genuine(body.encode(), *rest) for body, *rest in ${calls()}])`;
    expect((await outputOfPython(`${sample}\n${source}\n`)).toLowerCase()).toBe(FOUND);
  });

  it("has the waits that deliveries have", () => {
    const waitMs = (attemptCount: number) => {
      const delivery = { attemptCount, redelivered: false, resumeAt: null };
      const outcome = outcomeOf(delivery, { at: new Date(0), durationMs: 0 }, () => 0.5);
      return outcome.status === "pending" && Number(outcome.nextAttemptAt);
    };
    const units: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000 };
    const named = [
      ...(/follow in ([^.]*?),\seach/.exec(GUIDE)?.[1] ?? "").matchAll(/(\d+)\s(\w+)/g),
    ];
    expect(named.map(([, count, unit = ""]) => Number(count) * (units[unit] ?? 0))).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map(waitMs),
    );
  });
});
