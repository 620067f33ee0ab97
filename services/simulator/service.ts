/** The simulator's composition root. */
import type { AddressInfo } from "node:net";
import { systemClock } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import type { Log } from "#runtime/log.ts";
import { createApi } from "./api.ts";
import type { SimulatorConfig } from "./config.ts";
import { openPictureFiles } from "./picture-files.ts";
import { createRenderer } from "./render/renderer.ts";
import { createSigner } from "./signing.ts";

export type Simulator = AsyncDisposable & { readonly url: string };

/** Rejects when the cache folder cannot be used or the port is taken. */
export async function start(
  config: SimulatorConfig,
  overrides: { clock?: Clock; log?: Log } = {},
): Promise<Simulator> {
  await using stack = new AsyncDisposableStack();
  const log =
    overrides.log?.child({ service: "simulator" }) ?? createLog("simulator", config.logLevel);
  const cache = {
    directory: config.cacheDirectory,
    style: config.render,
    maxBytes: config.maxCacheBytes,
  };
  const files = stack.use(await openPictureFiles(cache, createRenderer(), log));
  let url = "";
  const server = createApi(config, {
    files,
    signer: createSigner(config.secret),
    clock: overrides.clock ?? systemClock,
    log,
    baseUrl: () => config.baseUrl ?? url,
  });
  stack.defer(async () => {
    const timer = setTimeout(() => server.server.closeAllConnections(), config.drainMs);
    await server.close();
    clearTimeout(timer);
  });
  await server.listen({ host: config.host, port: config.port });
  url = `http://${config.host}:${(server.server.address() as AddressInfo).port}`;
  const running = stack.move();
  return { url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
