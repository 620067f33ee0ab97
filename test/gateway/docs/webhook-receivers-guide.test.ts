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
  const answer = await POST(asked);
  response.writeHead(answer.status).end();
}).listen(Number(process.env.PORT), () => console.log("Listening"));`;

const RECEIVERS = ["Express", "Fastify", "Next.js", "Python"];

describe("the receivers of webhooks", () => {
  it("are all that the guide has", async () => {
    const samples = await samplesOf("webhook-receivers");
    expect(samples.map(({ heading }) => heading)).toEqual(RECEIVERS);
  });

  it.each(RECEIVERS.filter((name) => name !== "Python" || hasPython))(
    "take the service's event by %s, drop its repetition, and refuse a forged one",
    async (name) => {
      const samples = await samplesOf("webhook-receivers");
      const sample = samples.find(({ heading }) => heading === name) as Sample;
      const served = name === "Next.js" ? { ...sample, source: sample.source + ROUTED } : sample;
      const port = String(await freePort());
      const [program, args] = await commandOf(served);
      await using receiver: Running = startProgram(program, args, { ...env, PORT: port });
      await receiver.says("Listening");
      const url = `http://127.0.0.1:${port}/webhooks`;
      const client = clientOf(service.url, env["MEDIA_API_KEY"] ?? "");
      await client.videos.create({ model: "beta-3.0-video", prompt: "a boat", webhook_url: url });
      await receiver.says("video.generation.completed");

      const body = JSON.stringify({ type: "webhook.test", text: "für" });
      const now = new Date();
      const signature = new Webhook(env["WEBHOOK_SECRET"] ?? "").sign("msg_1", now, body);
      const send = async (sent: string) => {
        const headers = {
          "content-type": "application/json",
          "webhook-id": "msg_1",
          "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
          "webhook-signature": signature,
        };
        return (await fetch(url, { method: "POST", headers, body: sent })).status;
      };
      expect([await send("{}"), await send(body), await send(body)]).toEqual([400, 204, 204]);
      const lines = receiver.output().split("\n");
      expect(lines.filter((line) => line === "webhook.test")).toHaveLength(1);
    },
  );
});
