/** The copying of outputs over a folder, with an upstream whose replies a test sets. */
import { readdir } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import pLimit from "p-limit";
import { Agent } from "undici";
import { beforeEach } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { createFilesystemStore } from "../../../services/delivery/storage/filesystem.ts";
import { batchedAssets } from "../../../services/delivery/store/assets.ts";
import { outputCopier, type CopyDeps } from "../../../services/delivery/copy/copy-output.ts";
import { createGuardedAgent } from "../../../services/delivery/egress/guarded-agent.ts";
import type { MediaDecoder } from "../../../services/delivery/media/decoder.ts";
import { newAccountId } from "../../support/account.ts";
import { connectedDatabase } from "../../support/database.ts";
import { startHttp } from "../../support/http-server.ts";
import { makeImage, makeVideo } from "../../support/make-media.ts";
import { forTests } from "../../support/for-tests.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { refusalOf, rpcOf, silentLog, testDeps } from "../test-deps.ts";
import { unobserved } from "../../support/metrics.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What the upstream does with a request. */
export type Reply = (response: ServerResponse) => void;
export const file =
  (bytes: Uint8Array): Reply =>
  (response) =>
    void response.end(bytes);
export const status =
  (code: number): Reply =>
  (response) =>
    void response.writeHead(code).end();

/** The reply, once `when` is resolved. */
export const later =
  (when: Promise<void>, reply: Reply): Reply =>
  (response) =>
    void when.then(() => reply(response));

/** A result in the upstream's answer. */
export const inline = (value: Uint8Array) => ({ from: { case: "content" as const, value } });

type Decoder = Pick<MediaDecoder, "header" | "thumbnail">;

/** Decodes nothing: takes every file for the same video. */
const noDecoder: Decoder = {
  header: async () => ({ width: 320, height: 180, durationSeconds: 2 }),
  thumbnail: async () => makeImage("jpeg"),
};

/** Declares one copier for all tests of a file. For each test its storage is empty, and the upstream has a video at "/a". */
export function copierFixture(decoder: Partial<Decoder> = {}) {
  const fixture = forTests((cleanup) => open(cleanup, { ...noDecoder, ...decoder }));
  beforeEach(() => fixture.reset());
  return fixture;
}

/** The copier over a folder, and an upstream that replies as the test says. */
async function open(cleanup: AsyncDisposableStack, usual: Decoder) {
  const video = Buffer.from(await makeVideo({ durationSeconds: 2 }));
  const { path: directory } = cleanup.use(await temporaryFolder());
  const { sql } = cleanup.use(await connectedDatabase("delivery"));
  let isLoopbackAllowed = false;
  const allow = (ip: string): boolean => isLoopbackAllowed && ip === "127.0.0.1";
  const guarded = createGuardedAgent({ allow, plainHttp: true });
  cleanup.defer(() => guarded.destroy());
  const direct = new Agent();
  cleanup.defer(() => direct.destroy());
  const upstream = { replies: new Map<string, Reply>(), requested: [] as string[] };
  const server = cleanup.use(
    await startHttp((request, response) => {
      upstream.requested.push(request.url ?? "");
      (upstream.replies.get(request.url ?? "") ?? status(500))(response);
    }),
  );
  const assets = join(directory, "assets");
  const files = createFilesystemStore(assets);
  const objects = async () => {
    const names = await readdir(assets).catch(() => []);
    return names.filter((name) => name !== ".incoming").toSorted();
  };
  const failing = { puts: 0, deletes: 0 };
  const store: typeof files = {
    ...files,
    async put(...put) {
      await files.put(...put);
      if (failing.puts-- > 0) throw new Error("the connection was lost after the upload");
    },
    async delete(key) {
      if (failing.deletes-- > 0) throw new Error("storage is unavailable");
      await files.delete(key);
    },
  };
  const clock = manualClock("2026-11-21T12:00:00.000Z");
  const copyDirectory = join(directory, "copies");
  const decoder = { ...usual };
  const replicaWith = (over: typeof files, provenance: CopyDeps["provenance"] = "detect") => {
    const deps = { sql, clock, store: over, log: silentLog, decoder, ...unobserved() };
    const to = { agents: { guarded, direct }, directory: copyDirectory, limit: pLimit(2) };
    const assets = batchedAssets(sql);
    const copyOutput = outputCopier({ ...deps, ...to, provenance, assets });
    return rpcOf(testDeps({ sql, clock, copyOutput, store: over }));
  };
  const rpc = replicaWith(store);
  const requestOf = <T>(kind: Kind, ...sources: T[]) => ({
    accountId: newAccountId(),
    generationId: randomId(kind === Kind.IMAGE ? "igen" : "vgen"),
    kind,
    mode: Mode.LIVE,
    sources,
  });
  return {
    /** Of two seconds, 320 by 180. */
    video,
    sql,
    clock,
    files,
    failing,
    /** What decodes in this test. */
    decoder,
    upstream,
    assets,
    copyDirectory,
    serverUrl: server.url,
    objects,
    reset: async () => {
      upstream.replies.clear();
      upstream.replies.set("/a", file(video));
      upstream.requested.length = 0;
      failing.puts = 0;
      failing.deletes = 0;
      Object.assign(decoder, usual);
      isLoopbackAllowed = false;
      for (const name of await objects()) await files.delete(name);
    },
    allowLoopback: () => void (isLoopbackAllowed = true),
    /** A request for a new generation with these paths of the upstream as sources. */
    request: (...paths: string[]) => {
      const values = paths.map((path) => ({ case: "url" as const, value: `${server.url}${path}` }));
      return requestOf(Kind.VIDEO, ...values.map((from) => ({ from, configuredOrigin: true })));
    },
    /** A request for a new generation with this image in the upstream's answer. */
    image: (value: Uint8Array) => requestOf(Kind.IMAGE, inline(value)),
    /** Another process with this storage. */
    replicaWith,
    rpc,
    call: rpc.storeOutput,
    refusalOf: async (request: Parameters<typeof rpc.storeOutput>[0]) =>
      (await refusalOf(rpc.storeOutput(request))).reason,
  };
}
