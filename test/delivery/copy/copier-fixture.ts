/** The fixture for crash tests: delivery in processes that a test can kill, and an upstream that can stall. */
import { createHash, randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { addMs, systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { overHttp, tokenInterceptor } from "#runtime/rpc/client/client.ts";
import { ownToken } from "#runtime/rpc/service-token.ts";
import { readConfig } from "../../../services/delivery/config.ts";
import { start } from "../../../services/delivery/service.ts";
import { editedContent } from "../../../services/delivery/media/provenance.ts";
import { createFilesystemStore } from "../../../services/delivery/storage/filesystem.ts";
import { maintenanceJobs } from "../../../services/delivery/maintenance/maintenance.ts";
import { openIdentities } from "../../../services/ops/setup/identities.ts";
import { newAccountId } from "../../support/account.ts";
import { connectedDatabase } from "../../support/database.ts";
import { startHttp } from "../../support/http-server.ts";
import { makeVideo } from "../../support/make-media.ts";
import { startProcess } from "../../support/process.ts";
import { marksOf } from "../../support/marks.ts";
import { PATIENT } from "../media/patient-decoder.ts";
import { silentLog } from "../webhook/sender-fixture.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export type Request = ReturnType<typeof requestOf>;

const BOX_HEADER_BYTES = 8;
const VIDEO_BYTES = 2_000_000;
const TWO_DAYS_MS = 2 * 24 * 3_600_000;

/** A video of `bytes` bytes: an MP4 box of noise fills it up. */
async function longVideo(bytes: number): Promise<Buffer> {
  const video = await makeVideo();
  const fillBytes = bytes - video.byteLength;
  const header = Buffer.alloc(BOX_HEADER_BYTES);
  header.writeUInt32BE(fillBytes, 0);
  header.write("free", 4, "latin1");
  return Buffer.concat([video, header, randomBytes(fillBytes - BOX_HEADER_BYTES)]);
}

export const sha256 = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

export async function copierFixture() {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await temporaryFolder());
  const copyDirectory = join(directory, "copies");
  const { url, sql } = stack.use(await connectedDatabase("delivery", 2));
  const identities = await openIdentities(join(directory, "keys"));
  const assets = join(directory, "assets");
  const store = createFilesystemStore(assets);
  const video = await longVideo(VIDEO_BYTES);
  const upstream = stack.use(await startUpstream(video));

  const environment = {
    DATABASE_URL: url,
    NATS_URL: "nats://127.0.0.1:1",
    SERVICE_KEY_FILE: identities.keyFile("delivery"),
    TRUSTED_KEYS_FILE: identities.trustedFile,
    WEBHOOK_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
    DATA_DIR: directory,
    LOG_LEVEL: "error",
    LAME_DUCK_MS: "0",
    STORAGE_DIR: assets,
  };
  const callerOf = (rpcUrl: string) => {
    const http = overHttp([rpcUrl]);
    const token = ownToken(() => identities.keys.generation, "delivery", systemClock);
    const rpc = createClient(DeliveryService, http.connect([tokenInterceptor(token)]));
    return {
      storeOutput: (request: Request) => rpc.storeOutput(request),
      [Symbol.dispose]: () => http[Symbol.dispose](),
    };
  };
  /** Starts the service as a process; `env` can tell it where to stop (see copier-process.ts). */
  async function startCopier(env: Record<string, string> = {}) {
    const program = "test/delivery/copy/copier-process.ts";
    const running = startProcess(program, { ...environment, ...env });
    const urls = /^\{"rpcUrl.*$/m.exec(await running.says("ready\n"))?.[0] ?? "";
    const { rpcUrl } = JSON.parse(urls) as { rpcUrl: string };
    const caller = callerOf(rpcUrl);
    return {
      says: running.says,
      storeOutput: caller.storeOutput,
      kill: () => running.end("SIGKILL"),
      async [Symbol.asyncDispose]() {
        caller[Symbol.dispose]();
        await running.end("SIGKILL");
      },
    };
  }

  const { rpcUrl, assetsUrl } = stack.use(
    await start(readConfig(environment), { decoder: PATIENT }),
  );
  const other = { assetsUrl, ...stack.use(callerOf(rpcUrl)) };
  const running = stack.move();
  const { edits } = await marksOf(video);
  return {
    /** The object that it becomes: with the mark of AI-generated content. */
    stored: editedContent(video, edits),
    sql,
    upstream,
    startCopier,
    /** The replica that is called after another was killed. */
    other,
    /** A request to copy the upstream's file as a new output. */
    request: () => requestOf(upstream.url),
    /** Counts the temporary files and unfinished uploads, and lists the keys of the objects. */
    async files() {
      const keys: string[] = [];
      for await (const { key } of store.list()) keys.push(key);
      const downloads = (await namesIn(copyDirectory)).length;
      const uploads = (await namesIn(join(assets, ".incoming"))).length;
      return { downloads, uploads, keys: keys.toSorted() };
    },
    async rowOf({ accountId, generationId }: Request) {
      const [row] = await sql<
        { token: string; key: string | null; bytes: bigint | null; sha256: string | null }[]
      >`select token, key, bytes, sha256 from delivery.assets
        where account_id = ${accountId} and owner_id = ${generationId} and position = 0`;
      return row;
    },
    /** Runs every maintenance job once, with a clock two days ahead. */
    async maintenanceInTwoDays(): Promise<void> {
      const clock = { ...systemClock, now: () => addMs(systemClock.now(), TWO_DAYS_MS) };
      const { signal } = new AbortController();
      for (const job of maintenanceJobs({
        sql,
        clock,
        store,
        log: silentLog,
        copyDirectory,
      })) {
        await job.run(signal);
      }
    },
    /** Deletes all files and objects. */
    async reset(): Promise<void> {
      upstream.sendRest();
      await rm(copyDirectory, { recursive: true, force: true });
      for await (const { key } of store.list()) await store.delete(key);
      await store.removeUnfinished?.(addMs(systemClock.now(), TWO_DAYS_MS));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const requestOf = (url: string) => ({
  accountId: newAccountId(),
  generationId: randomId("vgen"),
  kind: Kind.VIDEO,
  mode: Mode.LIVE,
  sources: [{ from: { case: "url" as const, value: url }, configuredOrigin: true }],
});

const namesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);

/** Responds to every request with the video, or after `stall` with nothing until `sendRest`. */
async function startUpstream(video: Buffer) {
  const stalled: ServerResponse[] = [];
  let isStalling = false;
  const server = await startHttp((_, response) => {
    response.writeHead(200, { "content-length": video.byteLength }).flushHeaders();
    if (isStalling) stalled.push(response);
    else response.end(video);
  });
  return Object.assign(server, {
    stall: () => void (isStalling = true),
    /** How many responses stall. */
    stalls: () => stalled.length,
    /** To so many of them, the first first; no other stalls any more. */
    sendRest: (count = stalled.length) => {
      isStalling = false;
      for (const response of stalled.splice(0, count)) response.end(video);
    },
  });
}
