/** The embedded servers: PostgreSQL with the schemas of all services, and NATS JetStream. */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import { natsAt } from "#runtime/events/config.ts";
import type { NatsConfig } from "#runtime/events/config.ts";
import type { Log } from "#runtime/log.ts";
import { readOrCreateSecret } from "../data-folder/secret-file.ts";
import { startNats } from "./nats/server.ts";
import { freePort } from "./ports.ts";
import { startPostgres } from "./postgres/server.ts";
import { provision } from "../../ops/provision.ts";
import type { DatabaseUrls } from "../../ops/provision.ts";
import type { ServiceName } from "#runtime/service.ts";

const DATABASE = "media";

export type Embedded = AsyncDisposable & {
  databases: Record<ServiceName, DatabaseUrls>;
  nats: NatsConfig;
};

/** Starts both with their data in `dataDir`. If one fails to start, the other is stopped. */
export async function startEmbedded(dataDir: string, log: Log): Promise<Embedded> {
  await using stack = new AsyncDisposableStack();
  const secret = await readOrCreateSecret(join(dataDir, "keys", "database-secret"));
  const passwordOf = (role: string) =>
    createHmac("sha256", secret).update(role).digest("base64url");
  const [postgres, nats] = await Promise.allSettled([
    freePort().then((port) => startPostgres({ directory: join(dataDir, "postgres"), port, log })),
    freePort().then((port) => startNats({ directory: join(dataDir, "nats"), port, log })),
  ]);
  for (const server of [postgres, nats]) {
    if (server.status === "fulfilled") stack.use(server.value);
  }
  if (postgres.status === "rejected") throw postgres.reason;
  if (nats.status === "rejected") throw nats.reason;
  const databases = await provision(postgres.value.superuserUrl, DATABASE, passwordOf);
  const running = stack.move();
  return {
    databases,
    nats: natsAt(nats.value.url),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
