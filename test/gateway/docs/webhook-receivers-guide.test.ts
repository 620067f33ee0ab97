/** The receivers of the guide for webhooks, run as they are on the page, before the whole service. */
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { hasPython } from "../../clients/python/python.ts";
import { clientOf } from "../../support/customer.ts";
import { startProgram, type Running } from "../../support/process.ts";
import { useGuides, type Sample } from "./guide-samples.ts";

const { service, env, samplesOf, commandOf } = useGuides();

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

describe("the receivers of webhooks", () => {
  it("are all that the guide has", async () => {
    const samples = await samplesOf("webhook-receivers");
    expect(samples.map(({ heading }) => heading)).toEqual(RECEIVERS);
  });

  it.each(RECEIVERS.filter((name) => name !== "Python" || hasPython))(
    "take the service's event by %s, again if the work failed, drop its repetition, and refuse a forged one only",
    async (name) => {
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

      const now = new Date();
      const send = async (type: string, sent?: string) => {
        const body = JSON.stringify({ type, text: "für" });
        const headers = {
          "content-type": "application/json",
          "webhook-id": type,
          "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
          "webhook-signature": new Webhook(env["WEBHOOK_SECRET"] ?? "").sign(type, now, body),
        };
        return (await fetch(url, { method: "POST", headers, body: sent ?? body })).status;
      };
      const statuses = [await send("webhook.test", "{}")];
      for (const type of ["webhook.test", "balance.low"])
        statuses.push(await send(type), await send(type), await send(type));
      // Without its secret it says that it is at fault.
      expect(statuses).toEqual([400, 500, 204, 204, 500, 204, 500]);
      const lines = receiver.output().split("\n");
      expect(lines.filter((line) => line === "webhook.test")).toHaveLength(1);
    },
  );
});
