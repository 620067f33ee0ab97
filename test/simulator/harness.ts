/** Runs a simulator for tests: time stands still until told, and finished pictures are signalled. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Clock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { startSimulator } from "../../services/generation/simulator/server.ts";
import type { SimulatorConfig } from "../../services/generation/simulator/server.ts";

export type Answer = {
  id: string;
  status: string;
  progress: number;
  seed: number;
  prompt: string;
  error?: { code: string; message: string };
  output?: { url: string; content_type: string; expires_at: string };
};

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** A directory of its own, which goes away at the end. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "simulator-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export function manualClock(start = "2026-01-01T00:00:00.000Z"): Clock & {
  advance(ms: number): void;
} {
  let now = Date.parse(start);
  return {
    now: () => new Date(now),
    sleep: () => Promise.resolve(),
    advance: (ms) => {
      now += ms;
    },
  };
}

export async function startHarness(
  directory: string,
  config: Partial<SimulatorConfig> = {},
  clock = manualClock(),
) {
  const made = new Map<string, PromiseWithResolvers<void>>();
  const gate = (id: string): PromiseWithResolvers<void> => {
    const found = made.get(id) ?? Promise.withResolvers<void>();
    made.set(id, found);
    return found;
  };
  const lines = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const line = JSON.parse(chunk.toString()) as { msg: string; job: string };
      if (line.msg === "a picture is made") gate(line.job).resolve();
      done();
    },
  });
  const simulator = await startSimulator(
    { directory, paceMs: 0, render: "fixture", urlTtlMs: 3_600_000, ...config },
    { clock, log: createLog("simulator", "info", lines) },
  );
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(simulator.url + path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  return {
    clock,
    call,
    url: simulator.url,
    create: async (fields: Record<string, unknown> = {}) =>
      (await call("POST", "/jobs", { ...aVideo, ...fields })).body,
    get: async (id: string) => (await call("GET", `/jobs/${id}`)).body,
    /** Resolves when the job's picture is on disk and noted. */
    whenMade: (id: string) => gate(id).promise,
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
}

/** The address of a finished job's file. */
export function outputUrl(job: Answer): string {
  if (job.output === undefined) throw new Error(`job ${job.id} is ${job.status}`);
  return job.output.url;
}

export const aVideo = {
  client_token: "vgen_1",
  kind: "video",
  model: "alpha-2.0",
  prompt: "a quiet lake at dawn",
  width: 160,
  height: 90,
  duration_seconds: 2,
};

export const anImage = {
  client_token: "igen_1",
  kind: "image",
  model: "gamma-image-3.0-pro",
  prompt: "a quiet lake at dawn",
  width: 120,
  height: 80,
  duration_seconds: 0,
};
