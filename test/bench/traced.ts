/**
 * What traces of 5 % of the requests add to the service's processor time of a request. Two processes of the same service
 * differ by some percent for good, so each round starts one of each anew, measures them in short turns, and counts as
 * one figure. With `--control` neither is traced: what is found then is the noise.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startChild } from "./api-children.ts";
import type { Turn } from "./api-report.ts";
import type { Row } from "./api-rows.ts";
import type { ServersReady } from "./api-servers.ts";
import { startService } from "./api-service.ts";
import { rowsOf, runOn, targetOf } from "./api-turn.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    /** How many times a round measures both in turn, for each row. */
    pairs: { type: "string", default: "12" },
    /** Measures only the rows whose names contain this. */
    rows: { type: "string", default: "" },
    control: { type: "boolean", default: false },
  },
});
const TURN_SECONDS = 0.5;
/** Pairs before those that count: until code is compiled and all slots are taken. */
const WARM_UP_PAIRS = 4;

type Measured = { rows: readonly Row[]; costOf: (row: Row) => Promise<number> };

await using stack = new AsyncDisposableStack();
const servers = stack.use(startChild("api-servers.ts"));
const run = runOn(stack.use(startChild("api-load.ts")));
const { upstreamUrl } = await servers.message<ServersReady>();
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: upstreamUrl, OTEL_TRACES_SAMPLER_ARG: "0.05" };

const rounds = new Map<string, number[]>();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [name, part] of await measureRound(round % 2 === 1)) {
    rounds.set(name, [...(rounds.get(name) ?? []), part]);
  }
}
for (const [name, parts] of rounds) {
  const shown = [medianOf(parts), Math.min(...parts), Math.max(...parts)].map(
    (part) => `${(100 * part).toFixed(1)} %`,
  );
  const [median, least, most] = shown;
  process.stdout.write(
    `${name.padEnd(40)}${median} more processor time; ${parts.length} rounds: ${least} to ${most}\n`,
  );
}

/** What a request of each row costs more with traces, as a part. */
async function measureRound(isTracedFirst: boolean): Promise<Map<string, number>> {
  await using started = new AsyncDisposableStack();
  const [first, second] = [
    await start(started, isTracedFirst),
    await start(started, !isTracedFirst),
  ];
  const [without, with_] = isTracedFirst ? [second, first] : [first, second];
  const parts = new Map<string, number>();
  for (const [index, row] of without.rows.entries()) {
    const pairs: number[] = [];
    for (let pair = 0; pair < WARM_UP_PAIRS + Number(values.pairs); pair += 1) {
      // Always one after the other: a turn is charged with the work that its server still has of its last one.
      const cost = await without.costOf(row);
      pairs.push((await with_.costOf(with_.rows[index] ?? row)) / cost - 1);
    }
    parts.set(row.name, medianOf(pairs.slice(WARM_UP_PAIRS)));
  }
  return parts;
}

async function start(started: AsyncDisposableStack, isTraced: boolean): Promise<Measured> {
  const folder = started.use(await temporaryFolder());
  const { service } = await startService({
    folder: join(folder.path, "service"),
    upstreamUrl,
    isApart: false,
    env: isTraced && !values.control ? traced : {},
  });
  const target = targetOf(started.use(service));
  return {
    rows: (await rowsOf(service)).filter(({ name }) => name.includes(values.rows)),
    costOf: async (row) => costOf(await run(row, target, TURN_SECONDS)),
  };
}

/** Milliseconds of processor time for one request. */
function costOf({ processorMs, latencies }: Turn): number {
  return processorMs / latencies.length;
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
