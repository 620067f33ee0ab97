/** Delivery's composition root. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { Agent, type Dispatcher } from "undici";
import { parseCidrs } from "#runtime/address.ts";
import { startDueLoop } from "#runtime/loops.ts";
import type { Log } from "#runtime/log.ts";
import { installedVideoCodecs } from "#runtime/video-codecs.ts";
import { openBase, type Overrides } from "#runtime/service/service.ts";
import { startAssetServer } from "./asset-server/asset-server.ts";
import type { DeliveryConfig, StorageConfig } from "./config.ts";
import { outputCopier } from "./copy/copy-output.ts";
import { thumbnailMaker } from "./copy/thumbnail-maker.ts";
import type { Deps } from "./rpc/deps.ts";
import { pictureFetcher } from "./download/fetch.ts";
import { createGuardedAgent } from "./egress/guarded-agent.ts";
import { backlogMetrics, createMetrics } from "./metrics/metrics.ts";
import { startMaintenance } from "./maintenance/maintenance.ts";
import { createMediaDecoder, type MediaDecoderOptions } from "./media/decoder.ts";
import { routes } from "./rpc-routes.ts";
import { batchedAssets } from "./store/assets.ts";
import { createFilesystemStore, PRIVATE, readSpace, temporaryFile } from "./storage/filesystem.ts";
import { watchedStore } from "./storage/object-store.ts";
import { readWebhookFigures } from "./store/webhook-deliveries.ts";
import { masterKeys, reportKeysInUse } from "./webhook/signing-secrets.ts";
import { webhookSender } from "./webhook/sender.ts";

export type DeliveryOverrides = Overrides & {
  /** What decodes videos, and how long it may take, for tests. */
  decoder?: MediaDecoderOptions;
};

/** Starts the service; disposal stops it and waits for work in progress. */
export async function start(config: DeliveryConfig, overrides: DeliveryOverrides = {}) {
  await using stack = new AsyncDisposableStack();
  const base = await openBase("delivery", config, overrides, stack);
  const { sql, clock, log } = base;
  const { provenance } = config;
  const allow = parseCidrs(config.egressAllow);
  const { opened, place, folder } = await openStore(config.storage, log, stack);
  const { store, available } = watchedStore(opened, clock);
  const directory = join(config.dataDir, "copies");
  {
    // A folder that cannot be written to would let no output be copied.
    await using probe = temporaryFile(directory);
    await probe.write([]);
  }
  const { codecs = installedVideoCodecs(), ...limits } = overrides.decoder ?? {};
  if (codecs === "none") {
    log.warn({}, "videos are stored without thumbnails: install ffmpeg or @mediabunny/server");
  }
  const decoder = stack.use(createMediaDecoder({ ...limits, codecs }));
  const assets = stack.use(
    await startAssetServer({
      host: config.host,
      port: config.assetsPort,
      store,
      log,
      shutdown: base.shutdown,
      makeMissing: thumbnailMaker({ sql, log, store, provenance, decoder }),
    }),
  );
  const metrics = createMetrics(base.metrics);
  backlogMetrics(base.metrics, {
    clock,
    readWebhooks: () => readWebhookFigures(sql, clock.now()),
    readSpace: async () => (folder === undefined ? undefined : readSpace(folder)),
    storageAvailable: available,
  });
  const assetBaseUrl = config.assetBaseUrl ?? assets.url;
  const destroyed = <T extends Dispatcher>(dispatcher: T): T =>
    stack.adopt(dispatcher, () => dispatcher.destroy());
  const guarded = destroyed(createGuardedAgent({ allow, plainHttp: true }));
  const agents = { guarded, direct: destroyed(new Agent()) };
  const limit = pLimit(config.maxCopies);
  const writes = batchedAssets(sql);
  const copying = { store, assets: writes, decoder, directory, provenance, metrics, agents, limit };
  stack.use(startMaintenance({ sql, clock, log, store, copyDirectory: directory }));
  const agent = destroyed(createGuardedAgent({ allow }));
  const keys = masterKeys(config.webhookSecretKeys);
  await reportKeysInUse({ ...base, masterKeys: keys });
  const work = webhookSender({ ...base, agent, masterKeys: keys, metrics });
  const sender = stack.use(startDueLoop(work, base));
  const deps: Deps = {
    ...base,
    assets: writes,
    copyOutput: outputCopier({ ...base, ...copying }),
    masterKeys: keys,
    allowAddress: allow,
    fetchPicture: pictureFetcher({ sql, store, assetBaseUrl, agent }),
    store,
    assetBaseUrl,
    wakeSender: sender.wake,
  };
  const service = await base.serve(routes(deps), { listens: [assets.url], uses: [place] });
  /** `assetsUrl` is the asset server's: an object is served at this, a slash and its key. */
  return { ...service, assetsUrl: assets.url };
}

/** `place` is for the log. */
async function openStore(storage: StorageConfig, log: Log, stack: AsyncDisposableStack) {
  if (storage.kind === "filesystem") {
    const { directory: folder } = storage;
    // Without it the space of its disk could not be read before the first file is stored.
    await mkdir(folder, PRIVATE).catch((err: unknown) =>
      log.warn({ err }, "the folder of stored files cannot be made"),
    );
    return { opened: createFilesystemStore(folder), place: `folder ${folder}`, folder };
  }
  // Loaded where it is used: the SDK takes 9 MB and 130 ms.
  const { createS3Store } = await import("./storage/s3.ts");
  const { endpoint, region, bucket } = storage.s3;
  const opened = stack.use(createS3Store(storage.s3));
  return { opened, place: `s3 ${endpoint ?? region} ${bucket}` };
}
