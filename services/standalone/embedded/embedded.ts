/** The embedded parts under the services: PostgreSQL with everybody's schema, and NATS JetStream. */
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { Log } from "#runtime/log.ts";
import { keptSecret } from "../data-folder/secret-file.ts";
import { startNats } from "./nats/server.ts";
import { freePort } from "./ports.ts";
import { startPostgres } from "./postgres/server.ts";
import { provision } from "./postgres/provision.ts";
import type { DatabaseUrls } from "./postgres/provision.ts";
import type { ServiceName } from "#runtime/service.ts";

const DATABASE = "media";

export type Parts = AsyncDisposable & {
  databases: Record<ServiceName, DatabaseUrls>;
  natsUrl: string;
};

/** Starts both below `dataDir`; what was started is stopped again where one cannot start. */
export async function startParts(dataDir: string, log: Log): Promise<Parts> {
  await using stack = new AsyncDisposableStack();
  const secret = await keptSecret(join(dataDir, "keys", "database-secret"));
  const passwordOf = (role: string) =>
    createHmac("sha256", secret).update(role).digest("base64url");
  const [postgres, nats] = await Promise.allSettled([
    freePort().then((port) => startPostgres({ directory: join(dataDir, "postgres"), port, log })),
    freePort().then((port) => startNats({ directory: join(dataDir, "nats"), port, log })),
  ]);
  for (const part of [postgres, nats]) if (part.status === "fulfilled") stack.use(part.value);
  if (postgres.status === "rejected") throw postgres.reason;
  if (nats.status === "rejected") throw nats.reason;
  const databases = await provision(postgres.value.superuserUrl, DATABASE, passwordOf);
  const running = stack.move();
  return {
    databases,
    natsUrl: nats.value.url,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
