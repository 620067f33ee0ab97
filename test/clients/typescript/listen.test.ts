/** How often `listen` asks, and that what ends is noticed at once. */
import { expect, it, vi } from "vitest";
import { listen } from "../../../clients/typescript/cli/listen.ts";
import type { Run } from "../../../clients/typescript/cli/run.ts";

const video = (status: string) => ({
  object: "video.generation",
  id: "vgen_1",
  status,
  created_at: "2026-11-25T12:00:00.000Z",
});

function newRun(videos: { list: () => object[]; wait: (id: string) => Promise<unknown> }) {
  const stop = new AbortController();
  const printed: string[] = [];
  let requests = 0;
  const listOf = (found: () => object[]) => () => {
    requests += 1;
    return found();
  };
  const client = {
    balance: { retrieve: async () => ({ mode: "test" }) },
    videos: { list: listOf(videos.list), wait: videos.wait },
    images: { list: listOf(() => []), wait: () => Promise.reject(new Error("there is none")) },
  };
  const run = {
    client,
    apiKey: "mgs_test_1",
    signal: stop.signal,
    screen: { line: () => {} },
    print: (line: string) => printed.push(line),
  };
  return {
    run: run as unknown as Run & { apiKey: string },
    stop,
    printed,
    requests: () => requests,
  };
}

it("asks at most 12 times a minute while nothing is made", async () => {
  const { run, stop, requests } = newRun({ list: () => [], wait: () => Promise.resolve() });
  const slept: number[] = [];
  const asked: number[] = [];
  await listen(run, {}, async (ms) => {
    slept.push(ms);
    asked.push(requests());
    if (slept.length === 12) stop.abort();
  });
  // Six looks of the last minute: five before the last one, and one of the minute's begin.
  expect(slept.slice(-6).reduce((sum, ms) => sum + ms)).toBe(60_000);
  expect((asked.at(-1) ?? 0) - (asked.at(-7) ?? 0)).toBe(12);
});

it("holds one request for an unfinished generation, and looks again when that ends", async () => {
  const ended = Promise.withResolvers<void>();
  let status = "processing";
  const wait = vi.fn<(id: string) => Promise<void>>(() => ended.promise);
  const { run, stop, printed } = newRun({ list: () => [video(status)], wait });
  const woken: boolean[] = [];
  const sleep = async (_ms: number, signal: AbortSignal) => {
    if (woken.length === 1) return stop.abort();
    const isWoken = new Promise((resolve) => signal.addEventListener("abort", resolve));
    status = "success";
    ended.resolve();
    await isWoken;
    woken.push(true);
  };
  await listen(run, {}, sleep);
  expect(wait.mock.calls.map(([id]) => id)).toEqual(["vgen_1"]);
  expect(printed).toEqual([expect.stringContaining("video.generation.completed  vgen_1")]);
});
