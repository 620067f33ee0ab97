/**
 * Measures the public API in turns with a bare Fastify that parses, validates and answers the same bytes, with what a good
 * team would write instead, with another gateway, or with the same service on years of data.
 */
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startBare, startDurable, startPlain } from "./api-bare.ts";
import { startChild } from "./api-children.ts";
import { startPeer } from "./api-peer.ts";
import { fillHistory } from "./api-history.ts";
import { linesOf, reportOf, type Turn } from "./api-report.ts";
import type { Row } from "./api-rows.ts";
import type { ServersReady } from "./api-servers.ts";
import { memoryOf, startService, type StartOptions } from "./api-service.ts";
import { rowsOf, runOn, targetOf, type Target } from "./api-turn.ts";
import { benchDatabase } from "./bench-database.ts";
import { syncedWriteMs } from "./disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What the service is measured beside, and the row's requests as it takes them. */
type Beside = Target & { name: string; asked: (row: Row) => Row };

const { values } = parseArgs({
  options: {
    /** How long each of both is measured for a row. */
    seconds: { type: "string", default: "3" },
    /** Measures only the rows whose names contain this. */
    rows: { type: "string", default: "" },
    /** The four services as processes of their own, over HTTP/2, instead of all in one. */
    apart: { type: "boolean", default: false },
    /** Measures creates only, beside a bare Fastify that commits as often as they do. */
    durable: { type: "boolean", default: false },
    /** Measures videos only, beside what a good team would write instead. */
    plain: { type: "boolean", default: false },
    /** Measures images only, beside Portkey's gateway instead of the bare Fastify; needs the npm registry. */
    peer: { type: "boolean", default: false },
    /** Measures beside the same service with so many finished generations in its database, and twice as many entries. */
    history: { type: "string", default: "0" },
  },
});
const TURN_SECONDS = 1;
/** Long enough that all code which a row uses is compiled. */
const WARM_UP_SECONDS = 3;
/** Until the work of the start has ended. */
const IDLE_AFTER_MS = 3_000;
const HISTORY = Number(values.history);
const turns = Math.max(1, Math.round(Number(values.seconds) / TURN_SECONDS));
const say = (text: string) => process.stdout.write(text);

await using stack = new AsyncDisposableStack();
const servers = stack.use(startChild("api-servers.ts"));
const run = runOn(stack.use(startChild("api-load.ts")));
const { upstreamUrl } = await servers.message<ServersReady>();
const folder = stack.use(await temporaryFolder());
const start = (name: string, options: Partial<StartOptions> = {}) => {
  const common = { folder: join(folder.path, name), upstreamUrl, isApart: values.apart };
  return startService({ ...common, ...options });
};
const first = await start("service");
await first.service[Symbol.asyncDispose]();
const { service, readySeconds } = await start("service");
stack.use(service);
await delay(IDLE_AFTER_MS);
const idle = memoryOf(service);
say(`ready in ${readySeconds.toFixed(2)} s; memory ${idle.serviceMb} MB idle\n`);

const api = targetOf(service);
const isMeasured = ({ name, path }: Row) =>
  name.includes(values.rows) &&
  (!values.peer || name.startsWith("POST image")) &&
  (!values.plain || path.startsWith("/v1/videos/")) &&
  (!values.durable || name.startsWith("POST"));
const allRows = await rowsOf(service);
const rows = allRows.filter(isMeasured);
const beside = await startBeside();

const disk = await syncedWriteMs(folder.path);
say(`a write to the disk: p50 ${disk.p50.toFixed(2)} ms, p90 ${disk.p90.toFixed(2)} ms\n`);

for (const row of rows) {
  const besideRow = beside.asked(row);
  await run(row, api, WARM_UP_SECONDS);
  await run(besideRow, beside, WARM_UP_SECONDS);
  const ours: Turn[] = [];
  const limit: Turn[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    ours.push(await run(row, api, TURN_SECONDS));
    limit.push(await run(besideRow, beside, TURN_SECONDS));
  }
  const result = reportOf(row.name, ours, limit);
  say(linesOf(result, beside.name));
  if (result.refused > 0) {
    say(`  ${result.refused} refused: ${ours.find((turn) => turn.refusal)?.refusal}\n`);
  }
}
const after = memoryOf(service);
say(
  `memory ${after.serviceMb} MB after the run, and ${after.decoderMb} MB where videos are decoded\n`,
);

async function startBeside(): Promise<Beside> {
  if (values.peer) {
    const peer = stack.use(await startPeer(folder.path, upstreamUrl));
    return { ...peer, name: "Portkey's gateway" };
  }
  if (HISTORY > 0) return startOld();
  if (values.plain) {
    const { adminUrl: databaseUrl } = stack.use(await benchDatabase());
    const child = stack.use(startChild("api-plain.ts"));
    const target = await startPlain(child, allRows, { databaseUrl, upstreamUrl });
    return { ...target, name: "plain" };
  }
  if (values.durable) {
    const child = stack.use(startChild("api-durable.ts"));
    const { adminUrl: databaseUrl } = stack.use(await benchDatabase());
    const where = { databaseUrl, upstreamUrl, folder: join(folder.path, "durable") };
    const target = await startDurable(child, service, rows, where);
    return { ...target, name: "bare with its commits", asked: (row) => row };
  }
  return { ...(await startBare(servers, service, rows)), name: "bare", asked: (row) => row };
}

async function startOld(): Promise<Beside> {
  const database = stack.use(await benchDatabase());
  const { service: old } = await start("old", { database });
  const oldRows = await rowsOf(stack.use(old), ({ finishedId }) =>
    fillHistory(database, finishedId, HISTORY, (table, bytes) =>
      say(`${table} ${Math.round(bytes / 1e6)} MB\n`),
    ),
  );
  return { ...targetOf(old), name: `with ${HISTORY} generations`, asked: namedIn(oldRows) };
}

function namedIn(others: readonly Row[]): Beside["asked"] {
  return ({ name }) => {
    const row = others.find((one) => one.name === name);
    if (!row) throw new Error(`no row ${name}`);
    return row;
  };
}
