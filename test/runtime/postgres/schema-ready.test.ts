/** A replica that does not migrate waits until its schema is what its code needs. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { migrate } from "#runtime/postgres/migrate.ts";
import { schemaReady } from "#runtime/postgres/schema-ready.ts";
import { openIdentities } from "../../../services/ops/setup/identities.ts";
import type { DatabaseUrls } from "../../../services/ops/setup/provision.ts";
import { unmigratedDatabase } from "../../support/database.ts";
import { runToEnd, startProcess } from "../../support/process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const stack = new AsyncDisposableStack();
let urls: DatabaseUrls;
let others: DatabaseUrls;
let environment: Record<string, string>;

beforeAll(async () => {
  const { urls: provisioned } = stack.use(await unmigratedDatabase());
  urls = provisioned.billing;
  others = provisioned.gateway;
  const folder = stack.use(await temporaryFolder());
  const identities = await openIdentities(folder.path);
  environment = {
    DATABASE_URL: urls.url,
    NATS_URL: inject("natsUrl"),
    SERVICE_KEY_FILE: identities.keyFile("billing"),
    TRUSTED_KEYS_FILE: identities.trustedFile,
  };
});
afterAll(() => stack.disposeAsync());

const runMigrate = () =>
  runToEnd("services/ops/main.ts", { MIGRATE_DATABASE_URL: urls.ownerUrl }, ["migrate", "billing"]);

it("says what it waits for, ends at SIGTERM, and starts once the schema is migrated", async () => {
  const stopped = startProcess("services/billing/main.ts", environment);
  await stopped.says('run \\"ops migrate billing\\"');
  expect(await stopped.end("SIGTERM")).toBe(0);

  await using waiting = startProcess("services/billing/main.ts", environment);
  await waiting.says("waiting for the schema");
  expect(waiting.output()).not.toContain("ready\n");
  expect(await runMigrate()).toMatchObject({ code: 0 });
  await waiting.says("ready\n");
});

it.each([
  ["a wrong password", () => ({ password: "wrong" }), "waiting for Postgres"],
  ["no server", () => ({ port: "1" }), "waiting for Postgres"],
  [
    "the role of another service",
    () => new URL(others.url),
    "DATABASE_URL must name media_billing",
  ],
])("says with %s what it waits for, and not for a migration", async (_fault, part, text) => {
  const { username, password, port } = part() as Partial<URL>;
  const url = new URL(urls.url);
  if (username) url.username = username;
  if (password) url.password = password;
  if (port) url.port = port;
  const environmentWith = { ...environment, DATABASE_URL: url.href };
  await using waiting = startProcess("services/billing/main.ts", environmentWith);
  await waiting.says(text);
  expect(waiting.output()).not.toContain("ops migrate");
});

it("waits where only its functions are not applied", async () => {
  const directory = fileURLToPath(new URL("../../../services/billing/migrations", import.meta.url));
  const schema = { schema: "billing", directory };
  await migrate({ url: urls.ownerUrl, ...schema });
  const owner = connectPostgres({ url: urls.ownerUrl, maxConnections: 1 }, "test");
  stack.defer(() => owner.end());
  await owner`delete from billing.schema_functions`;
  const reason = Promise.withResolvers<string>();
  const log = { warn: (fields: { reason: string }) => reason.resolve(fields.reason) } as never;
  const ready = schemaReady(owner, schema, { clock: systemClock, log });
  expect(await reason.promise).toBe("its functions are not applied");
  await migrate({ url: urls.ownerUrl, ...schema });
  await ready;
});
