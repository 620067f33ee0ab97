/** Starts the simulator: a small upstream provider of its own, which makes real moving pictures. */
import { mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Clock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import { fileUrls, loadSecret } from "./file-url.ts";
import { openJobStore } from "./job-store.ts";
import { createRenderer } from "./render/renderer.ts";
import type { RenderStyle } from "./render/task.ts";
import { createServer } from "./routes.ts";
import { openStudio } from "./studio.ts";

export type SimulatorConfig = {
  /** Holds jobs, files and the signing secret; what it holds is continued. */
  readonly directory: string;
  /** On 127.0.0.1; 0 or absent: the system chooses. */
  readonly port?: number;
  /** How long a video takes from creation to success; 0: as long as it takes to render. */
  readonly paceMs: number;
  /** `fixture` gives one flat clip for each size and length, at next to no cost. */
  readonly render: RenderStyle;
  /** How long the address of an output is good. */
  readonly urlTtlMs: number;
};

export type SimulatorDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly newJobId?: () => string;
};

export type Simulator = AsyncDisposable & { readonly url: string };

/** Rejects when the directory cannot be used or the port is taken. */
export async function startSimulator(
  config: SimulatorConfig,
  { clock, log, newJobId = () => `job_${randomToken()}` }: SimulatorDeps,
): Promise<Simulator> {
  const { directory, render: style } = config;
  await using stack = new AsyncDisposableStack();
  await mkdir(directory, { recursive: true });
  const urls = fileUrls(await loadSecret(join(directory, "secret")));
  const jobs = await openJobStore(join(directory, "jobs"), log);
  stack.defer(() => jobs.settled());
  const renderer = createRenderer();
  const studio = stack.use(await openStudio({ directory, style }, { jobs, renderer, log }));
  let url = "";
  const server = createServer(config, {
    jobs,
    studio,
    urls,
    clock: neverBack(clock),
    log,
    newJobId,
    baseUrl: () => url,
  });
  stack.defer(() => server.close());
  await server.listen({ host: "127.0.0.1", port: config.port ?? 0 });
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const running = stack.move();
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** A clock that is set back would take back progress, and success, that was seen already. */
function neverBack(clock: Clock): Clock {
  let latest = clock.now();
  return {
    now: () => {
      const now = clock.now();
      if (now > latest) latest = now;
      return latest;
    },
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
