/** The samples of the guides for webhooks, run as they are on the page: verification, and receivers of the service. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { outcomeOf } from "../../../services/delivery/domain/delivery.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { hasPython, outputOfPython } from "../../clients/python/python.ts";
import { clientOf } from "../../support/customer.ts";
import { startProgram, type Running } from "../../support/process.ts";
import { useGuides, type Sample } from "./guide-samples.ts";

const { service, env, samplesOf, commandOf } = useGuides();

const GUIDE = readFileSync("services/gateway/docs/guides/webhooks.md", "utf8");
const SECRET = `whsec_${Buffer.from("a secret of 24 characters").toString("base64")}`;
const BODY = '{"type":"webhook.test","text":"für"}';

/** Of an event that is signed now. */
const headersOf = (id: string, body: string, secret: string) => {
  const now = new Date();
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, now, body),
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
  /** What is called with, as JSON: the vector, two signatures, the vector long after, another body, an event of now. */
  const calls = () => {
    const { secret = "", body = "", ...vector } = testVector();
    /** As after a rotation of the secret. */
    const rotated = (headers: Record<string, string>) => ({
      ...headers,
      "webhook-signature": `v1,bm8= ${headers["webhook-signature"]}`,
    });
    const now = Number(vector["webhook-timestamp"]);
    const all = [
      [body, vector, secret, now],
      [body, rotated(vector), secret, now],
      [body, vector, secret],
      [`${body} `, vector, secret, now],
      [BODY, rotated(headersOf("msg_1", BODY, SECRET)), SECRET],
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

/** A Node server in front of a route handler, as Next.js is. */
const ROUTED = `
import { createServer } from "node:http";
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  const asked = new Request("http://localhost/webhooks", { method: "POST", headers, body: Buffer.concat(chunks) });
  const answer = await POST(asked).catch(() => ({ status: 500 }));
  response.writeHead(answer.status).end();
}).listen(Number(process.env.PORT), () => console.log("Listening"));`;

/** The work of a sample is to print: the first of each type fails, and that of `balance.low` loses the secret. */
const WORK_IN_NODE = `
const failed = new Set(), print = console.log;
console.log = (text) => {
  if (/^(webhook|balance)/.test(text) && !failed.has(text)) {
    failed.add(text);
    throw new Error("The work has failed.");
  }
  if (text === "balance.low") delete process.env.WEBHOOK_SECRET;
  print(text);
};`;
const WORK_IN_PYTHON = `
failed, to_screen = set(), print
def print(text, **options):
    if text.startswith(("webhook", "balance")) and text not in failed:
        failed.add(text)
        raise RuntimeError("The work has failed.")
    if text == "balance.low": del os.environ["WEBHOOK_SECRET"]
    to_screen(text, **options)
`;

const RECEIVERS = ["Express", "Fastify", "Next.js", "Python"];
const RUNNABLE = RECEIVERS.filter((name) => name !== "Python" || hasPython);

describe("the receivers of webhooks", () => {
  it("are all that the guide has", async () => {
    const samples = await samplesOf("webhook-receivers");
    expect(samples.map(({ heading }) => heading)).toEqual(RECEIVERS);
  });

  it.each(RUNNABLE)("take an event once by %s, again if it failed, and no forged", async (name) => {
    const samples = await samplesOf("webhook-receivers");
    const sample = samples.find(({ heading }) => heading === name) as Sample;
    const routed = name === "Next.js" ? ROUTED : "";
    const work = name === "Python" ? WORK_IN_PYTHON : WORK_IN_NODE;
    const served = { ...sample, source: work + sample.source + routed };
    const port = String(await freePort());
    const [program, args] = await commandOf(served);
    await using receiver: Running = startProgram(program, args, { ...env, PORT: port });
    await receiver.says("Listening");
    const url = `http://127.0.0.1:${port}/webhooks`;
    const client = clientOf(service.url, env["MEDIA_API_KEY"] ?? "");
    await client.videos.create({ model: "beta-3.0-video", prompt: "a boat", webhook_url: url });
    await receiver.says("video.generation.completed");

    const send = async (type: string, sent?: string) => {
      const body = JSON.stringify({ type, text: "für" });
      const signed = headersOf(type, body, env["WEBHOOK_SECRET"] ?? "");
      const headers = { "content-type": "application/json", ...signed };
      return (await fetch(url, { method: "POST", headers, body: sent ?? body })).status;
    };
    const statuses = [await send("webhook.test", "{}")];
    for (const type of ["webhook.test", "balance.low"])
      statuses.push(await send(type), await send(type), await send(type));
    // Without its secret it says that it is at fault.
    expect(statuses).toEqual([400, 500, 204, 204, 500, 204, 500]);
    const lines = receiver.output().split("\n");
    expect(lines.filter((line) => line === "webhook.test")).toHaveLength(1);
  });
});
