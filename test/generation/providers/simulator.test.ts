/** The simulator behind its provider. */
import { getEventListeners } from "node:events";
import { afterAll, expect, it } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { simulatorProvider } from "../../../services/generation/providers/vendors/simulator.ts";
import type { Imaged, Polled } from "../../../services/generation/providers/provider.ts";
import { start } from "../../../services/simulator/service.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { startHttp } from "../../support/http-server.ts";
import { simulatorConfig } from "../../support/simulator-config.ts";
import { accepted, jobWith, never } from "./provider-under-test.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const folder = folderForTests();

/** Its jobs take no time. */
const simulator = await start(simulatorConfig(folder, { paceMs: 0 }), {
  clock: systemClock,
  log: createLog("simulator", "silent"),
});
afterAll(() => simulator[Symbol.asyncDispose]());
const provider = simulatorProvider(simulator.url);
/** It draws what it is asked for. */
const SMALL = { width: 64, height: 64 };

it("finds the job of a submit whose answer was lost, and makes no second one", async () => {
  const submittedAt = systemClock.now();
  const job = jobWith({ kind: "video", ...SMALL, durationSeconds: 1, submittedAt });
  const upstreamId = await accepted(provider, job);
  expect(await provider.find(job, never)).toBe(upstreamId);
});

it("finds the job of an image call, whose file is the one that the call answered", async () => {
  const job = jobWith({ kind: "image", ...SMALL, submittedAt: systemClock.now() });
  const contentOf = async (answer: Polled | Imaged | undefined) => {
    const [source] = answer?.kind === "succeeded" ? answer.sources : [];
    const response = await fetch(source && "url" in source ? source.url : "");
    return Buffer.from(await response.arrayBuffer());
  };
  const answered = await contentOf(await provider.image?.(job, never));
  expect(provider.findsImages).toBe(true);
  const upstreamId = (await provider.find(job, never)) ?? "";
  expect((await contentOf(await provider.poll(upstreamId, never))).equals(answered)).toBe(true);
});

it("fails as asked with the message of live mode, marked as simulated", async () => {
  for (const [code, says] of [
    ["content_rejected", "refused by the content rules"],
    ["upstream_timeout", "took longer than allowed"],
    ["internal", "a fault of ours"],
  ] as const) {
    const job = jobWith({ kind: "image", mode: "test", metadata: { simulate: `fail:${code}` } });
    const message = expect.stringMatching(`^Simulated: .*${says}.*Nothing was charged`) as unknown;
    expect(await provider.image?.(job, never)).toEqual({
      kind: "failed",
      failure: { code, message },
    });
  }
});

it("waits for an image until its signal aborts, and leaves nothing on the signal", async () => {
  let reads = 0;
  let neededReads = 3;
  await using server = await startHttp((request, response) => {
    if (request.method === "GET") reads += 1;
    const status = reads < neededReads ? "running" : "failed";
    response.end(JSON.stringify({ id: "job", status, progress: 0 }));
  });
  const { image } = simulatorProvider(server.url);
  const call = new AbortController();
  const job = jobWith({ kind: "image" });
  expect(await image?.(job, call.signal)).toMatchObject({ kind: "failed" });
  expect(reads).toBe(3);
  await expect.poll(() => getEventListeners(call.signal, "abort")).toEqual([]);

  neededReads = Infinity;
  const ended = image?.(job, call.signal).catch((error: unknown) => error);
  await expect.poll(() => reads).toBeGreaterThan(3);
  const enough = new Error("enough");
  call.abort(enough);
  expect(await ended).toBe(enough);
});

it("rejects an image for certain if the simulator cannot be reached, so that the task waits for it", async () => {
  const { image } = simulatorProvider(`http://127.0.0.1:${await freePort()}`);
  expect(await image?.(jobWith({ kind: "image" }), never)).toEqual({
    kind: "rejected",
    fault: "unavailable",
  });
});

it("gets its image from a simulator that goes away after the request and comes back", async () => {
  const asked: string[] = [];
  await using server = await startHttp((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const count = asked.filter((one) => one === asked.at(-1)).length;
    if (count === 1) request.socket.destroy();
    else if (count === 2) response.writeHead(503).end();
    else response.end(JSON.stringify({ id: "job", status: "succeeded", output: { urls: ["u"] } }));
  });
  const { image } = simulatorProvider(server.url);
  expect(await image?.(jobWith({ kind: "image" }), never)).toMatchObject({ kind: "succeeded" });
  const [send, read] = ["POST /jobs", "GET /jobs/job"];
  expect(asked).toEqual([send, send, send, read, read, read]);
});

it("asks no more for an image that a simulator refuses", async () => {
  await using server = await startHttp((_, response) => void response.writeHead(400).end());
  const { image } = simulatorProvider(server.url);
  await expect(image?.(jobWith({ kind: "image" }), never)).rejects.toThrow("answered 400");
});
