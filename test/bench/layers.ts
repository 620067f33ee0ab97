/** Where a request's time goes: processor time and allocated bytes of each layer, beside the bare server's whole. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startBare } from "./api-bare.ts";
import { startChild } from "./api-children.ts";
import type { Turn } from "./api-report.ts";
import type { ServersReady } from "./api-servers.ts";
import { memoryOf, startService } from "./api-service.ts";
import { rowsOf, runOn, targetOf } from "./api-turn.ts";
import { openProfiler, type ByLayer } from "./layers-profile.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    /** Measures only the rows whose names contain this. */
    rows: { type: "string", default: "" },
  },
});
const SECONDS = Number(values.seconds);
const WARM_UP_SECONDS = 5;
const ROWS = ["GET a running video", "replay of a key", "POST image, 16", "POST video, 1 account"];

await using stack = new AsyncDisposableStack();
const servers = stack.use(startChild("api-servers.ts"));
const run = runOn(stack.use(startChild("api-load.ts")));
const { upstreamUrl } = await servers.message<ServersReady>();
const folder = stack.use(await temporaryFolder());
const inspectorPort = await freePort();
const { service } = await startService({
  folder: join(folder.path, "service"),
  upstreamUrl,
  isApart: false,
  env: { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` },
});
stack.use(service);
const profiler = stack.use(await openProfiler(inspectorPort));
const isMeasured = (name: string) =>
  ROWS.some((row) => name.startsWith(row)) && name.includes(values.rows);
const rows = (await rowsOf(service)).filter(({ name }) => isMeasured(name));
const bare = await startBare(servers, service, rows);

for (const row of rows) {
  const api = targetOf(service);
  await run(row, api, WARM_UP_SECONDS);
  await run(row, bare, WARM_UP_SECONDS);
  const whole = microsOf(await run(row, api, SECONDS));
  const limit = microsOf(await run(row, bare, SECONDS));
  const profiled = await profiler.processor(() => run(row, api, SECONDS));
  const allocated = await profiler.allocated(() => run(row, api, SECONDS));
  // The profiler takes time as well, and counts what other processes take: each layer gets its part of the whole.
  const micros = scaled(profiled.byLayer, whole / total(profiled.byLayer));
  const bytes = scaled(allocated.byLayer, 1 / allocated.result.latencies.length);
  process.stdout.write(
    `${row.name}\n${lineOf("bare", limit)}${lineOf("all", whole, total(bytes))}`,
  );
  for (const [layer, time] of [...micros].toSorted(([, a], [, b]) => b - a)) {
    process.stdout.write(lineOf(`  ${layer}`, time, bytes.get(layer)));
  }
}
process.stdout.write(`memory ${memoryOf(service).serviceMb} MB after the run\n`);

/** The processor time of a request. */
function microsOf({ processorMs, latencies }: Turn): number {
  return (1_000 * processorMs) / latencies.length;
}

function scaled(byLayer: ByLayer, factor: number): ByLayer {
  return new Map([...byLayer].map(([layer, amount]) => [layer, amount * factor]));
}

function total(byLayer: ByLayer): number {
  return [...byLayer.values()].reduce((sum, amount) => sum + amount, 0);
}

function lineOf(name: string, micros: number, bytes?: number): string {
  const kilobytes = bytes === undefined ? "" : `${(bytes / 1_000).toFixed(1)} kB`;
  return `${name.padEnd(40)}${micros.toFixed(1).padStart(8)} µs${kilobytes.padStart(12)}\n`;
}
