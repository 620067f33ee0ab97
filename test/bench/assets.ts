/** Measures the memory that copying many large videos at once from an upstream to S3 takes. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { Agent } from "undici";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { createS3Store } from "../../services/delivery/storage/s3.ts";
import { createMediaDecoder } from "../../services/delivery/media/decoder.ts";
import { outputCopier } from "../../services/delivery/copy/copy-output.ts";
import { reserveAsset } from "../delivery/reserve-asset.ts";
import { benchDatabase } from "./bench-database.ts";
import { residentMb } from "./memory.ts";
import { unobserved } from "../support/metrics.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MB = 1_000_000;
const { values } = parseArgs({
  options: {
    copies: { type: "string", default: "200" },
    megabytes: { type: "string", default: "100" },
    running: { type: "string", default: "32" },
    /** Fails if the process of the service took more. */
    "max-megabytes": { type: "string", default: "400" },
  },
});
const copies = Number(values.copies);
const bytes = Number(values.megabytes) * MB;

await using stack = new AsyncDisposableStack();
const servers = fork(fileURLToPath(new URL("./assets-servers.ts", import.meta.url)), [
  String(bytes),
]);
stack.defer(() => servers.disconnect());
const [{ sourceUrl, sinkUrl }] = (await once(servers, "message")) as [
  { sourceUrl: string; sinkUrl: string },
];
const database = stack.use(await benchDatabase());
const sql = connectPostgres({ url: database.urls.delivery.url, maxConnections: 10 }, "bench");
stack.defer(() => sql.end());
const { path: directory } = stack.use(await temporaryFolder());
const direct = new Agent();
stack.defer(() => direct.destroy());
const store = stack.use(
  createS3Store({
    endpoint: sinkUrl,
    region: "us-east-1",
    bucket: "bench",
    credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
    forcePathStyle: true,
  }),
);
const copyOutput = outputCopier({
  sql,
  clock: systemClock,
  store,
  log: createLog("bench", "warn"),
  decoder: stack.use(createMediaDecoder()),
  fetch: { guarded: direct, direct, directory },
  provenance: "embed",
  limit: pLimit(Number(values.running)),
  ...unobserved(),
});

const say = (text: string) => process.stdout.write(text);
const before = ownPeakMb();
const decoder = { peakMb: 0 };
const watch = setInterval(() => {
  decoder.peakMb = Math.max(decoder.peakMb, decoderMb());
}, 200);
let done = 0;
const startMs = performance.now();
const source = { kind: "url" as const, url: sourceUrl, isConfiguredOrigin: true };
const results = await Promise.all(
  Array.from({ length: copies }, async () => {
    const id = { accountId: randomId("acct"), ownerId: randomId("vgen"), position: 0 };
    const token = await reserveAsset(sql, id, new Date());
    const result = await copyOutput({ id, token, kind: "video", source });
    done += 1;
    if (done % 20 === 0) say(`  ${done} copied, peak memory so far ${ownPeakMb()} MB\n`);
    return result;
  }),
);
clearInterval(watch);
const seconds = (performance.now() - startMs) / 1_000;
const peak = ownPeakMb();
const [row] = await sql<{ stored: bigint; thumbnails: bigint }[]>`
  select count(stored_at) as stored, count(thumbnail_key) as thumbnails from delivery.assets`;
const left = await readdir(directory);
const failed = results.find(({ outcome }) => outcome !== "stored");

say(`${copies} copies of ${values.megabytes} MB at once, ${values.running} running\n`);
say(`  stored ${row?.stored}, with thumbnail ${row?.thumbnails}, files left ${left.length}\n`);
say(`  ${seconds.toFixed(1)} s, ${Math.round((copies * bytes) / MB / seconds)} MB/s\n`);
say(`  peak memory ${peak} MB (${before} MB before the first copy)\n`);
say(`  and ${decoder.peakMb} MB in the process that decodes\n`);
if (failed || peak > Number(values["max-megabytes"])) {
  say(`  failed: ${failed ? JSON.stringify(failed) : "too much memory"}\n`);
  process.exitCode = 1;
}

/** The peak memory of this process in MB. `maxRSS` is less exact: it can be that of the parent process. */
function ownPeakMb(): number {
  try {
    return Math.round(residentMb("self", "peak"));
  } catch {
    return Math.round((process.resourceUsage().maxRSS * 1024) / MB);
  }
}

/** The peak memory of the larger of the decoding processes in MB, on Linux; 0 elsewhere. */
function decoderMb(): number {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
    const peaks = children.split(" ").map((pid) => {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("decoder-process")) return 0;
      return residentMb(pid, "peak");
    });
    return Math.round(Math.max(0, ...peaks));
  } catch {
    return 0;
  }
}
