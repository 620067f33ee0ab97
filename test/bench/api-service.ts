/** The service as benchmarks use it: live mode on an upstream of theirs, with accounts without limits. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SERVICES } from "#runtime/service/service.ts";
import { startFleet, type FleetOptions } from "../support/compose/compose.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import type { Operator } from "../support/operator.ts";
import { standaloneIn } from "../support/whole-service.ts";
import { FINISHING_PROMPT, IMAGE, REPLAYED_KEY, VIDEO, type Generations } from "./api-rows.ts";

/** Enough for any run. */
const TOKENS = 1_000_000_000;
const LISTED = 20;

type StartOptions = {
  folder: string;
  upstreamUrl: string;
  /** The replicas of compose.yaml instead of `npm start`. */
  isFleet: boolean;
};

export type BenchService = Operator & AsyncDisposable & { url: string; pids: readonly number[] };

/** The replicas of compose.yaml through their load balancer. */
export async function startFleetService(options?: FleetOptions) {
  const fleet = await startFleet(options);
  return { ...fleet, pids: SERVICES.flatMap(fleet.of).map(({ pid }) => pid()) };
}

/** Starts the service in `folder`, live mode on the upstream, and measures how long that takes. */
export async function startService({
  folder,
  upstreamUrl,
  isFleet,
}: StartOptions): Promise<{ service: BenchService; readySeconds: number }> {
  await mkdir(folder, { recursive: true });
  const upstreamsFile = join(folder, "upstreams.json");
  const entry = { provider: "openai", base_url: upstreamUrl, credential: "bench" };
  const upstreams = {
    credentials: { bench: {} },
    models: {
      [VIDEO.model]: [{ ...entry, name: "bench-video", model: "bench/video" }],
      [IMAGE.model]: [{ ...entry, name: "bench-image", model: "bench/image" }],
    },
  };
  await writeFile(upstreamsFile, JSON.stringify(upstreams));
  const env = { LIVE_PROVIDER: "none", UPSTREAMS_FILE: upstreamsFile, PROVIDER_KEY_BENCH: "key" };
  const startedAt = performance.now();
  const service = isFleet
    ? await startFleetService({ environment: { generation: env } })
    : await standaloneIn(join(folder, "data"), env);
  return { service, readySeconds: (performance.now() - startedAt) / 1_000 };
}

/** The live keys of `count` new accounts. */
export async function openAccounts(service: Operator, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { accountId, key } = await newCustomer(service, TOKENS);
    using operator = service.operator();
    const unlimited = { createsPerMinute: 0, readsPerMinute: 0, maxUnfinished: 0 };
    await operator.accounts.setLimits({ accountId, ...unlimited });
    keys.push(await key("live"));
  }
  return keys;
}

/** What the reads read: finished videos for the list, one of them, and a video that runs. */
export async function makeGenerations(service: BenchService, key: string): Promise<Generations> {
  const client = clientOf(service.url, key);
  const ending = { ...VIDEO, prompt: FINISHING_PROMPT };
  const videos = await Promise.all(
    Array.from({ length: LISTED }, () => client.videos.create(ending)),
  );
  await Promise.all(videos.map(({ id }) => client.videos.wait(id)));
  const { id: runningId } = await client.videos.create(VIDEO, { idempotencyKey: REPLAYED_KEY });
  return { finishedId: videos[0]?.id ?? "", runningId };
}
