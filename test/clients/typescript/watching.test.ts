/** Watching generations by streams of events, on a fake service. */
import { expect, it } from "vitest";
import { NotFoundError } from "../../../clients/typescript/index.ts";
import { fakeService, refusal } from "./fake-service.ts";

const event = (status: string, progress: number) =>
  `event: generation\ndata: ${JSON.stringify({ id: "vgen_1", status, progress })}\n\n`;

/** A stream of these chunks, which then ends, or breaks. */
function streamOf(chunks: readonly string[], { breaks = false } = {}): () => Response {
  return () => {
    const left = chunks.map((chunk) => new TextEncoder().encode(chunk));
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = left.shift();
        if (chunk) controller.enqueue(chunk);
        else if (breaks) controller.error(new Error("reset"));
        else controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

async function statesOf(updates: AsyncIterable<{ status: string; progress: number }>) {
  const seen: string[] = [];
  for await (const { status, progress } of updates) seen.push(`${status} ${progress}`);
  return seen;
}

it("watching yields each change once and ends with the final state, however the bytes arrive", async () => {
  const text = `retry: 3000\n\n${event("pending", 0)}: waiting\n\n${event("processing", 40)}${event("success", 100)}`;
  for (const size of [1, 7, text.length]) {
    const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const { client, requests } = fakeService([streamOf(chunks)]);
    expect(await statesOf(client.videos.watch("vgen_1"))).toEqual([
      "pending 0",
      "processing 40",
      "success 100",
    ]);
    expect(requests.map(({ headers }) => headers.get("accept"))).toEqual(["text/event-stream"]);
  }
});

it("watching opens the stream again where it ended or broke before the end, and repeats no state", async () => {
  const { client, requests, slept } = fakeService([
    streamOf([event("processing", 10)]),
    streamOf([event("processing", 10), event("processing", 60)], { breaks: true }),
    streamOf([event("failed", 60)]),
  ]);
  expect(await statesOf(client.images.watch("igen_1"))).toEqual([
    "processing 10",
    "processing 60",
    "failed 60",
  ]);
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual(
    Array.from({ length: 3 }, () => "/v1/images/generations/igen_1"),
  );
  expect(slept).toEqual([3_000, 3_000]);
});

it("watching puts up with an outage of almost a minute, and names the generation after a longer one", async () => {
  const down = Array.from({ length: 10 }, () => new TypeError("fetch failed"));
  const { client, slept } = fakeService([...down, streamOf([event("success", 100)])]);
  expect(await statesOf(client.videos.watch("vgen_1"))).toEqual(["success 100"]);
  expect(slept).toHaveLength(10);
  const ended = fakeService([new TypeError("fetch failed")]);
  await expect(statesOf(ended.client.videos.watch("vgen_1"))).rejects.toMatchObject({
    name: "ConnectionError",
    generationId: "vgen_1",
  });
});

it("watching throws the error of a refusal, and the reason of an aborted signal", async () => {
  const unknown = fakeService([
    refusal(404, { type: "not_found_error", code: "generation_not_found" }),
  ]);
  await expect(statesOf(unknown.client.videos.watch("vgen_1"))).rejects.toThrow(NotFoundError);
  const stop = new AbortController();
  const { client } = fakeService([streamOf([event("processing", 1)])]);
  const updates = client.videos.watch("vgen_1", { signal: stop.signal });
  const watching = (async () => {
    for await (const _update of updates) stop.abort(new Error("enough"));
  })();
  await expect(watching).rejects.toThrow("enough");
});
