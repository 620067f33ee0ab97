/** All services in this process, on databases of their own and with small quick videos, and a customer. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "nats";
import { inject } from "vitest";
import type { Clock } from "#runtime/clock.ts";
import { streamMaker } from "#runtime/events/bus.ts";
import { natsAt } from "#runtime/events/config.ts";
import { createLog } from "#runtime/log.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { startServices } from "../../services/standalone/processes/services.ts";
import { readConfig } from "../../services/standalone/settings/config.ts";
import { newCustomer } from "../support/customer.ts";
import { testDatabases } from "../support/database.ts";
import { operatorOf } from "../support/operator.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** `write` gets the lines of their log. They stop with `stack`. */
export async function servicesInProcess(
  stack: AsyncDisposableStack,
  write: (line: string) => void,
  env: Record<string, string> = {},
  overrides: { clock?: Clock } = {},
) {
  const { path: dataDir } = stack.use(await temporaryFolder());
  const { urls: databases } = stack.use(await testDatabases());
  // Operators are told of a stream that is made long after its maker's process began, as here where no test has run.
  const { host, username: user, password } = new URL(inject("natsUrl"));
  const nats = await connect({ servers: host, user, pass: decodeURIComponent(password) });
  await streamMaker(1)(nats);
  await nats.close();
  await mkdir(join(dataDir, "keys"));
  const port = await freePort();
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: String(port),
    CALLBACK_BASE_URL: `http://localhost:${port}`,
    EGRESS_ALLOW: "127.0.0.0/8",
    SIMULATOR_RENDER: "fixture",
    SIMULATOR_PACE_MS: "300",
    ...env,
  });
  const setup = { databases, nats: natsAt(inject("natsUrl")), port, dataDir };
  const log = createLog(undefined, "debug", { write });
  const { url, rpcUrls } = stack.use(await startServices(config, setup, log, overrides));
  await writeFile(join(dataDir, "endpoints.json"), JSON.stringify(rpcUrls));
  const operator = operatorOf({ DATA_DIR: dataDir });
  return { url, rpcUrls, databases, ...operator, customer: await newCustomer(operator) };
}
