/** Runs a simulator for tests, on a clock that stands still until told. */
import { EventEmitter, once } from "node:events";
import { Writable } from "node:stream";
import { createLog } from "#runtime/log.ts";
import type { SimulatorConfig } from "../../services/simulator/config.ts";
import { start } from "../../services/simulator/service.ts";
import { manualClock } from "../support/manual-clock.ts";
import { simulatorConfig } from "../support/simulator-config.ts";

export type Answer = {
  id: string;
  status: string;
  progress: number;
  error?: { code: string; message: string };
  output?: { urls: string[]; content_type: string; expires_at: string };
};

export async function startHarness(
  directory: string,
  config: Partial<SimulatorConfig> = {},
  clock = manualClock(),
) {
  let renders = 0;
  const renderEnds = new EventEmitter();
  const lines = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const line = JSON.parse(chunk.toString()) as { msg: string };
      if (line.msg === "a picture was rendered") renders += 1;
      if (line.msg.startsWith("a picture")) renderEnds.emit("end");
      done();
    },
  });
  const simulator = await start(simulatorConfig(directory, config), {
    clock,
    log: createLog("simulator", "info", lines),
  });
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(simulator.url + path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const get = async (id: string) => (await call("GET", `/jobs/${id}`)).body;
  return {
    clock,
    call,
    url: simulator.url,
    create: async (fields: Record<string, unknown> = {}) =>
      (await call("POST", "/jobs", { ...aVideo, ...fields })).body,
    get,
    /** Polls a job whose time is over after each render, until its own is done. */
    finished: async (id: string): Promise<Answer> => {
      for (;;) {
        const next = once(renderEnds, "end");
        const job = await get(id);
        if (job.status !== "running") return job;
        await next;
      }
    },
    /** How many pictures it has rendered. */
    renders: () => renders,
    [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
  };
}

/** The address of a finished job's file. */
export function outputUrl(job: Answer): string {
  const [url] = job.output?.urls ?? [];
  if (url === undefined) throw new Error(`job ${job.id} is ${job.status}`);
  return url;
}

export const aVideo = {
  client_token: "vgen_1",
  submitted_at_ms: Date.parse("2026-01-01T00:00:00.000Z"),
  kind: "video",
  model: "alpha-2.0",
  prompt: "a quiet lake at dawn",
  width: 160,
  height: 90,
  duration_seconds: 2,
};

export const anImage = {
  ...aVideo,
  client_token: "igen_1",
  kind: "image",
  model: "gamma-image-3.0-pro",
  width: 120,
  height: 80,
  duration_seconds: 0,
};
