/** Measures the public API in turns with a bare Fastify that parses, validates and answers the same bytes. */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../support/whole-service.ts";
import type { LoadOrder, LoadResult } from "./api-load.ts";
import { startPeer } from "./api-peer.ts";
import { apiRows } from "./api-rows.ts";
import type { Row } from "./api-rows.ts";
import type { BareReady, BareRoute, ServersReady } from "./api-servers.ts";
import {
  makeGenerations,
  memoryOf,
  openAccounts,
  processorMs,
  startService,
} from "./api-service.ts";
import { line, summary } from "./measure.ts";
import type { Measured } from "./measure.ts";

type Target = { port: number; pids: readonly number[] };

const { values } = parseArgs({
  options: {
    /** How long each of both is measured for a row. */
    seconds: { type: "string", default: "3" },
    /** Measures only the rows whose names contain this. */
    rows: { type: "string", default: "" },
    /** The four services as processes of their own, over HTTP/2, instead of all in one. */
    apart: { type: "boolean", default: false },
    /** Measures images only, beside Portkey's gateway instead of the bare Fastify; needs the npm registry. */
    peer: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const TURN_SECONDS = 1;
const WARM_UP_SECONDS = 1;
const ACCOUNTS = 20;
/** Until the work of the start has ended. */
const IDLE_AFTER_MS = 3_000;
const turns = Math.max(1, Math.round(Number(values.seconds) / TURN_SECONDS));
const say = (text: string) => void (values.json || process.stdout.write(text));

await using stack = new AsyncDisposableStack();
const servers = child("api-servers.ts");
const loader = child("api-load.ts");
const { upstreamUrl } = await messageOf<ServersReady>(servers);
const folder = stack.use(await temporaryFolder());
const first = await startService(folder.path, upstreamUrl, values.apart);
await first.service[Symbol.asyncDispose]();
const { service, readySeconds } = await startService(folder.path, upstreamUrl, values.apart);
stack.use(service);
await delay(IDLE_AFTER_MS);
const idle = memoryOf(service);
say(`ready in ${readySeconds.toFixed(2)} s; memory ${idle.serviceMb} MB idle\n`);

const keys = await openAccounts(service, ACCOUNTS);
const generations = await makeGenerations(service, keys[0] ?? "");
const api: Target = { port: Number(new URL(service.url).port), pids: service.pids };
const isMeasured = ({ name }: Row) =>
  name.includes(values.rows) && (!values.peer || name.startsWith("POST image"));
const rows = apiRows(keys, generations).filter(isMeasured);
const peer = values.peer ? stack.use(await startPeer(folder.path, upstreamUrl)) : undefined;
const beside: Target = peer ?? (await startBare());

const results: object[] = [];
for (const row of rows) {
  const besideRow = peer?.asked(row) ?? row;
  await run(row, api, WARM_UP_SECONDS);
  await run(besideRow, beside, WARM_UP_SECONDS);
  const ours: Turn[] = [];
  const limit: Turn[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    ours.push(await run(row, api, TURN_SECONDS));
    limit.push(await run(besideRow, beside, TURN_SECONDS));
  }
  report(row, ours, limit);
}
const after = memoryOf(service);
say(
  `memory ${after.serviceMb} MB after the run, and ${after.decoderMb} MB where videos are decoded\n`,
);
if (values.json) {
  process.stdout.write(
    `${JSON.stringify({ readySeconds, idle, after, rows: results }, null, 2)}\n`,
  );
}

function child(file: string): ChildProcess {
  const process_ = fork(fileURLToPath(new URL(`./${file}`, import.meta.url)));
  stack.defer(() => process_.disconnect());
  return process_;
}

/** The next message of a child process; rejects if it ends before. */
async function messageOf<T>(from: ChildProcess): Promise<T> {
  const settled = new AbortController();
  const { signal } = settled;
  const ended = once(from, "exit", { signal }).then(() => {
    throw new Error("a child process ended");
  });
  const [message] = (await Promise.race([once(from, "message"), ended])) as [T];
  ended.catch(() => undefined);
  settled.abort();
  return message;
}

async function startBare(): Promise<Target> {
  servers.send(await Promise.all(rows.map(bareRouteOf)));
  const { port } = await messageOf<BareReady>(servers);
  return { port, pids: servers.pid === undefined ? [] : [servers.pid] };
}

/** What the bare server answers in the place of the service: what the service answers now. */
async function bareRouteOf({ method, path, route, key, body, ...row }: Row): Promise<BareRoute> {
  const headers = { authorization: `Bearer ${key}`, ...row.headers };
  const request = body === undefined ? { headers } : { headers, body };
  const response = await fetch(`${service.url}${path}`, { method, ...request });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${row.name}: ${answer}`);
  const schema = row.bodySchema === undefined ? {} : { bodySchema: row.bodySchema };
  return { method, path: route, status: response.status, answer, ...schema };
}

type Turn = LoadResult & { processorMs: number };

async function run(row: Row, to: Target, seconds: number): Promise<Turn> {
  const { connections, requests } = row;
  const before = processorMs(to.pids);
  loader.send({ port: to.port, connections, seconds, requests } satisfies LoadOrder);
  const result = await messageOf<LoadResult>(loader);
  return { ...result, processorMs: processorMs(to.pids) - before };
}

function report(row: Row, ours: readonly Turn[], limit: readonly Turn[]): void {
  const [of, limited] = [summary(ours), summary(limit)];
  const ratio = of.perSecond / limited.perSecond;
  const refused = ours.reduce((sum, turn) => sum + turn.refused, 0);
  say(lineOf(row.name, of, processorMicros(ours)));
  const name = peer ? "Portkey's gateway" : "bare";
  say(lineOf(`  ${name}; ratio ${ratio.toFixed(3)}`, limited, processorMicros(limit)));
  if (refused > 0) say(`  ${refused} refused: ${ours.find((turn) => turn.refusal)?.refusal}\n`);
  const processor = { processorMicros: processorMicros(ours) };
  const limitProcessor = { processorMicros: processorMicros(limit) };
  const figures = { service: { ...of, ...processor }, limit: { ...limited, ...limitProcessor } };
  results.push({ name: row.name, ratio, refused, ...figures });
}

function lineOf(name: string, measured: Measured, micros: number): string {
  return `${line(name, measured).trimEnd()} ${`${Math.round(micros)} µs of processor`.padStart(26)}\n`;
}

/** The time that the process itself took for each request; other processes of the machine change it little. */
function processorMicros(turns: readonly Turn[]): number {
  const answers = turns.reduce((sum, { latencies }) => sum + latencies.length, 0);
  return (1_000 * turns.reduce((sum, turn) => sum + turn.processorMs, 0)) / answers;
}
