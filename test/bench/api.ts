/**
 * Measures the public API in turns with a bare Fastify that parses, validates and answers the same bytes, or with what a
 * good team would write instead.
 */
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startBare, startPlain } from "./api-bare.ts";
import { startChild, type Target } from "./api-children.ts";
import type { LoadOrder, LoadResult } from "./api-load.ts";
import { apiRows, type Row } from "./api-rows.ts";
import type { UpstreamReady } from "./api-upstream.ts";
import { makeGenerations, openAccounts, startService } from "./api-service.ts";
import { benchDatabase } from "./bench-database.ts";
import { line, summary } from "./measure.ts";
import { processorMs, residentMb } from "./processes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** `processorMs`: the time that the server took meanwhile. */
type Turn = LoadResult & { processorMs: number };
/** What the service is measured beside, and the row's requests as it takes them. */
type Beside = Target & { name: string; asked: (row: Row) => Row };

const { values } = parseArgs({
  options: {
    /** How long each of both is measured for a row. */
    seconds: { type: "string", default: "3" },
    /** Measures only the rows whose names contain this. */
    rows: { type: "string", default: "" },
    /** The replicas of compose.yaml, which call each other over HTTP/2, instead of `npm start`. */
    fleet: { type: "boolean", default: false },
    /** Measures creates only, beside a bare Fastify that commits as often as they do. */
    durable: { type: "boolean", default: false },
    /** Measures videos only, beside what a good team would write instead. */
    plain: { type: "boolean", default: false },
  },
});
const ACCOUNTS = 20;
const TURN_SECONDS = 1;
/** Long enough that all code which a row uses is compiled. */
const WARM_UP_SECONDS = 6;
/** Until the work of the start has ended. */
const IDLE_AFTER_MS = 3_000;
const turns = Math.max(1, Math.round(Number(values.seconds) / TURN_SECONDS));
const say = (text: string) => process.stdout.write(text);

await using stack = new AsyncDisposableStack();
const upstream = stack.use(startChild("api-upstream.ts"));
const loader = stack.use(startChild("api-load.ts"));
const { upstreamUrl } = await upstream.message<UpstreamReady>();
const folder = stack.use(await temporaryFolder());
const options = { folder: join(folder.path, "service"), upstreamUrl, isFleet: values.fleet };
const first = await startService(options);
await first.service[Symbol.asyncDispose]();
const { service, readySeconds } = await startService(options);
stack.use(service);
await delay(IDLE_AFTER_MS);
const memory = () => `${Math.round(residentMb(service.pids))} MB`;
say(`ready in ${readySeconds.toFixed(2)} s; memory ${memory()} idle\n`);

const api: Target = { port: Number(new URL(service.url).port), pids: service.pids };
const isMeasured = ({ name, path }: Row) =>
  name.includes(values.rows) &&
  (!values.plain || path.startsWith("/v1/videos/")) &&
  (!values.durable || name.startsWith("POST"));
const keys = await openAccounts(service, ACCOUNTS);
const allRows = apiRows(keys, await makeGenerations(service, keys[0] ?? ""));
const rows = allRows.filter(isMeasured);
const beside = await startBeside();

for (const row of rows) {
  const besideRow = beside.asked(row);
  await run(row, api, WARM_UP_SECONDS);
  await run(besideRow, beside, WARM_UP_SECONDS);
  const ours: Turn[] = [];
  const theirs: Turn[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    ours.push(await run(row, api, TURN_SECONDS));
    theirs.push(await run(besideRow, beside, TURN_SECONDS));
  }
  say(reportOf(row.name, ours, { name: beside.name, turns: theirs }));
}
say(`memory ${memory()} after the run\n`);

/** The requests of a row, sent to a server for some seconds. */
async function run({ connections, requests }: Row, to: Target, seconds: number): Promise<Turn> {
  const before = processorMs(to.pids);
  loader.send({ port: to.port, connections, seconds, requests } satisfies LoadOrder);
  const result = await loader.message<LoadResult>();
  const spentMs = processorMs(to.pids) - before;
  await untilIdle(to);
  return { ...result, processorMs: spentMs };
}

/** Work that a server put off is done before the other's turn begins: until it takes little of the processor, or 20 s. */
async function untilIdle({ pids }: Target): Promise<void> {
  for (let look = 0; look < 100; look += 1) {
    const before = processorMs(pids);
    await delay(200);
    if (processorMs(pids) - before <= 30) return;
  }
}

async function startBeside(): Promise<Beside> {
  if (values.plain) {
    const { adminUrl: databaseUrl } = stack.use(await benchDatabase());
    const child = stack.use(startChild("api-plain.ts"));
    const target = await startPlain(child, allRows, { databaseUrl, upstreamUrl });
    return { ...target, name: "plain" };
  }
  const child = stack.use(startChild("api-bare-server.ts"));
  const asked = (row: Row) => row;
  if (!values.durable) return { ...(await startBare(child, service, rows)), name: "bare", asked };
  const { adminUrl: databaseUrl } = stack.use(await benchDatabase());
  const durable = { databaseUrl, upstreamUrl, folder: join(folder.path, "durable") };
  const target = await startBare(child, service, rows, durable);
  return { ...target, name: "bare with its commits", asked };
}

/** One row: the service, and what it was measured beside, which `name` names. */
function reportOf(
  row: string,
  service: readonly Turn[],
  beside: { name: string; turns: readonly Turn[] },
): string {
  const ratio = summary(service).perSecond / summary(beside.turns).perSecond;
  const refused = service.reduce((sum, turn) => sum + turn.refused, 0);
  const refusal = service.find((turn) => turn.refusal)?.refusal;
  return [
    lineOf(row, service),
    lineOf(`  ${beside.name}; ratio ${ratio.toFixed(3)}`, beside.turns),
    refused > 0 ? `  ${refused} refused: ${refusal}\n` : "",
  ].join("");
}

/** With the time that the process itself took for each request; other processes of the machine change it little. */
function lineOf(name: string, turns: readonly Turn[]): string {
  const answers = turns.reduce((sum, { latencies }) => sum + latencies.length, 0);
  const processorMs = turns.reduce((sum, turn) => sum + turn.processorMs, 0);
  const micros = `${Math.round((1_000 * processorMs) / answers)} µs of processor`;
  return `${line(name, summary(turns)).trimEnd()} ${micros.padStart(26)}\n`;
}
