/** Postgres and the event stream: each is the one that the configuration names, or embedded. */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { natsAt, type NatsConfig } from "#runtime/events/config.ts";
import type { Log } from "#runtime/log.ts";
import { provision, type Passwords } from "../ops/setup/provision.ts";
import type { StandaloneConfig } from "./settings/config.ts";
import { readOrCreateSecret } from "./data-folder/secrets.ts";
import { startNats } from "./embedded/nats-server.ts";
import { freePort } from "./embedded/ports.ts";
import { startPostgres } from "./embedded/postgres-server.ts";
import { openPostgres } from "./external-postgres.ts";
import type { ServicesSetup } from "./processes/services.ts";

const DATABASE = "media";
const MIN_CONNECTIONS = 200;
/** The pools of all services of a process need fewer; the rest is a reserve. */
const CONNECTIONS_PER_PROCESS = 60;

export type Parts = Pick<ServicesSetup, "databases" | "nats">;

/** Starts what is embedded, with its data in the data folder. If one part fails to start, the other is stopped. */
export async function openParts(
  config: StandaloneConfig,
  log: Log,
): Promise<Parts & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const secret = await readOrCreateSecret(join(config.dataDir, "keys", "database-secret"));
  const passwordOf = (role: string) =>
    createHmac("sha256", secret).update(role).digest("base64url");
  const [databases, nats] = await Promise.allSettled([
    config.postgres === undefined
      ? embeddedPostgres(config, passwordOf, log, stack)
      : openPostgres(config.postgres, passwordOf),
    config.nats ?? embeddedNats(config, log, stack),
  ]);
  if (databases.status === "rejected") throw databases.reason;
  if (nats.status === "rejected") throw nats.reason;
  const running = stack.move();
  return {
    databases: databases.value,
    nats: nats.value,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function embeddedPostgres(
  { dataDir, processes }: StandaloneConfig,
  passwordOf: Passwords,
  log: Log,
  stack: AsyncDisposableStack,
): Promise<Parts["databases"]> {
  const connections = Math.max(MIN_CONNECTIONS, processes * CONNECTIONS_PER_PROCESS);
  const server = await startPostgres({
    directory: join(dataDir, "postgres"),
    port: await freePort(),
    log,
    settings: { max_connections: String(connections) },
  });
  stack.use(server);
  return provision(server.superuserUrl, DATABASE, passwordOf);
}

async function embeddedNats(
  { dataDir }: StandaloneConfig,
  log: Log,
  stack: AsyncDisposableStack,
): Promise<NatsConfig> {
  const directory = join(dataDir, "nats");
  const server = stack.use(await startNats({ directory, port: await freePort(), log }));
  return natsAt(server.url);
}
