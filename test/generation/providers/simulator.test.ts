/** The provider for the simulator, before servers that answer as it does. */
import { getEventListeners } from "node:events";
import { text } from "node:stream/consumers";
import { simulatorProvider } from "../../../services/generation/providers/vendors/simulator.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { startHttp } from "../../support/http-server.ts";
import { jobWith, never } from "./provider-under-test.ts";

it("looks for the job of a lost submit or image call by the same request, which gives the same job", async () => {
  const created: string[] = [];
  await using server = await startHttp((request, response) => {
    void text(request).then((body) => {
      if (request.method === "POST") created.push(body);
      response.end(JSON.stringify({ id: "job", status: "succeeded", output: { urls: ["u"] } }));
    });
  });
  const { submit, image, find, findsImages } = simulatorProvider(server.url);
  const [video, picture] = [jobWith({ kind: "video" }), jobWith({ kind: "image" })];
  expect(await submit(video, never)).toEqual({ kind: "accepted", upstreamId: "job" });
  expect(await image?.(picture, never)).toMatchObject({ sources: [{ url: "u" }] });
  const found = [await find?.(video, never), await find?.(picture, never)];
  expect([findsImages, ...found]).toEqual([true, "job", "job"]);
  expect(created.slice(2)).toEqual(created.slice(0, 2));
});

it("fails as asked with the message of live mode, marked as simulated", async () => {
  for (const [code, says] of [
    ["content_rejected", "refused by the content rules"],
    ["upstream_timeout", "took longer than allowed"],
    ["internal", "a fault of ours"],
  ] as const) {
    const job = JSON.stringify({ id: "job", status: "failed", error: { code } });
    await using server = await startHttp((_, response) => void response.end(job));
    const message = expect.stringMatching(
      `^Simulated: .*${says}.*Nothing was charged; .* again with a new Idempotency-Key\\.$`,
    ) as unknown;
    const { image } = simulatorProvider(server.url);
    const failed = { kind: "failed", failure: { code, message } };
    expect(await image?.(jobWith({ kind: "image" }), never)).toEqual(failed);
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
  const rejected = { kind: "rejected", fault: "unavailable" };
  expect(await image?.(jobWith({ kind: "image" }), never)).toEqual(rejected);
});
