/** Postgres and the event stream: each is the one that the configuration names, or embedded. */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { natsAt } from "#runtime/events/config.ts";
import type { Log } from "#runtime/log.ts";
import { provision } from "../ops/setup/provision.ts";
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
  const { dataDir, postgres } = config;
  const secret = await readOrCreateSecret(join(dataDir, "keys", "database-secret"));
  const passwordOf = (role: string) =>
    createHmac("sha256", secret).update(role).digest("base64url");
  const embedded = async (part: "postgres" | "nats") => ({
    directory: join(dataDir, part),
    port: await freePort(),
    log,
  });
  const embeddedPostgres = async () => {
    const connections = Math.max(MIN_CONNECTIONS, config.processes * CONNECTIONS_PER_PROCESS);
    const settings = { max_connections: String(connections) };
    const server = await startPostgres({ ...(await embedded("postgres")), settings });
    return provision(stack.use(server).superuserUrl, DATABASE, passwordOf);
  };
  const embeddedNats = async () => natsAt(stack.use(await startNats(await embedded("nats"))).url);
  const [databases, nats] = await Promise.allSettled([
    postgres === undefined ? embeddedPostgres() : openPostgres(postgres, passwordOf),
    config.nats ?? embeddedNats(),
  ]);
  if (databases.status === "rejected") throw databases.reason;
  if (nats.status === "rejected") throw nats.reason;
  return Object.assign(stack.move(), { databases: databases.value, nats: nats.value });
}
