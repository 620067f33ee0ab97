/** The simulator's composition root. */
import type { AddressInfo } from "node:net";
import { systemClock, type Clock } from "#runtime/clock.ts";
import { asPort } from "#runtime/listen.ts";
import { createLog, type Log } from "#runtime/log.ts";
import { VERSION } from "#runtime/version.ts";
import { createApi } from "./api.ts";
import type { SimulatorConfig } from "./config.ts";
import { openPictureFiles } from "./picture-files.ts";
import { createSealer } from "./sealing.ts";

/** Rejects when the cache folder cannot be used or the port is taken. */
export async function start(
  config: SimulatorConfig,
  overrides: { clock?: Clock; log?: Log } = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  await using stack = new AsyncDisposableStack();
  const log =
    overrides.log?.child({ service: "simulator" }) ?? createLog("simulator", config.logLevel);
  const clock = overrides.clock ?? systemClock;
  const files = stack.use(await openPictureFiles(config, { clock, log }));
  let url = "";
  const server = createApi({
    config,
    files,
    jobs: createSealer(config.secret, "job ids"),
    addresses: createSealer(config.secret, "files"),
    clock,
    log,
    baseUrl: () => config.baseUrl ?? url,
  });
  const { host, port } = config;
  await asPort("HOST", "SIMULATOR_PORT", server.listen({ host, port }));
  stack.defer(async () => {
    log.info({ ms: config.drainMs }, "draining, takes nothing new");
    const timer = setTimeout(() => server.server.closeAllConnections(), config.drainMs);
    await server.close();
    clearTimeout(timer);
    log.info({}, "stopped");
  });
  url = `http://${config.host}:${(server.server.address() as AddressInfo).port}`;
  log.info({ version: VERSION, listens: [url] }, "serving");
  return Object.assign(stack.move(), { url });
}
