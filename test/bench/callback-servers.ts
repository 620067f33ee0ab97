/** Servers of the callback benchmark, in their own process: an upstream that calls back, and a receiver of webhooks. */
import { EventEmitter, once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { replicateCallback, REPLICATE_SECRET } from "../support/fake-upstreams/replicate.ts";
import { startHttp } from "../support/http-server.ts";
import { makeVideo } from "../support/make-media.ts";

export type CallbackReady = { url: string; callbackSecret: string };
/** How many webhooks to wait for. */
export type CallbackOrder = { webhooks: number };
/** From the end of each video at the upstream to the arrival of its webhook, in ms, in the order of their arrival. */
export type CallbackResult = { latencies: number[] };

type Job = { id: string; status: "starting" | "succeeded" };
type Sent = { input: { prompt: string }; webhook?: string };

const MIN_JOB_MS = 1_000;
const MAX_JOB_MS = 3_000;

const video = await makeVideo();
const jobs = new Map<string, Job>();
/** By the prompt, which is also the last part of the path of the video's webhook. */
const endedAt = new Map<string, number>();
const latencies: number[] = [];
const arrived = new EventEmitter();

const server = await startHttp((request, response) => void answer(request, response));

/** The dialect of Replicate. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { url = "", method } = request;
  const last = url.split("/").at(-1) ?? "";
  if (url.startsWith("/hook/")) {
    response.writeHead(204).end();
    latencies.push(performance.now() - (endedAt.get(last) ?? Number.NaN));
    arrived.emit("webhook");
  } else if (url === "/result") {
    response.end(video);
  } else if (method === "POST") {
    const job: Job = { id: `job${jobs.size}`, status: "starting" };
    jobs.set(job.id, job);
    sendJson(response, 201, job);
    await end(job, JSON.parse(body) as Sent);
  } else {
    const job = jobs.get(last);
    sendJson(response, job ? 200 : 404, job ?? {});
  }
}

async function end(job: Job, { input, webhook }: Sent): Promise<void> {
  await delay(MIN_JOB_MS + Math.random() * (MAX_JOB_MS - MIN_JOB_MS));
  job.status = "succeeded";
  endedAt.set(input.prompt, performance.now());
  if (webhook === undefined) return;
  const { headers, body } = replicateCallback(job.id, new Date());
  await fetch(webhook, { method: "POST", headers, body: Buffer.from(body) });
}

function sendJson(response: ServerResponse, status: number, job: Partial<Job>): void {
  response.writeHead(status, { "content-type": "application/json" });
  const output = job.status === "succeeded" ? `${server.url}/result` : null;
  response.end(JSON.stringify({ ...job, output, error: null }));
}

process.on("message", ({ webhooks }: CallbackOrder) => void report(webhooks));
async function report(webhooks: number): Promise<void> {
  while (latencies.length < webhooks) await once(arrived, "webhook");
  process.send?.({ latencies } satisfies CallbackResult);
}

process.once("disconnect", () => process.exit());
process.send?.({ url: server.url, callbackSecret: REPLICATE_SECRET } satisfies CallbackReady);
