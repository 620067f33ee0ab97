/** The start of a replica that does not migrate: it waits until its schema is what its code needs. */
import { inject } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { migrate } from "#runtime/postgres/migrate.ts";
import { schemaReady } from "#runtime/postgres/readiness.ts";
import { ConfigError } from "#runtime/env.ts";
import { openBase, schemaOf } from "#runtime/service/service.ts";
import { openIdentities } from "../../../services/ops/setup/identities.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { openPool, unmigratedDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { runOpsHere } from "../../support/operator.ts";
import { startProcess } from "../../support/process.ts";
import { serviceConfig } from "../../support/service-configs.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const schema = schemaOf("billing");
const folder = folderForTests();
const database = forTests(unmigratedDatabase);
const urls = forTests(() => database.urls.billing);

it("says what it waits for, ends at SIGTERM, and starts once the schema is migrated", async () => {
  const identities = await openIdentities(folder);
  const environment = {
    DATABASE_URL: urls.url,
    NATS_URL: inject("natsUrl"),
    SERVICE_KEY_FILE: identities.keyFile("billing"),
    TRUSTED_KEYS_FILE: identities.trustedFile,
  };
  const stopped = startProcess("services/billing/main.ts", environment);
  const port = await freePort();
  const own = { RPC_PORT: String(port), LAME_DUCK_MS: "1", DRAIN_MS: "2000" };
  await using waiting = startProcess("services/billing/main.ts", { ...environment, ...own });
  await stopped.says('run \\"ops migrate billing\\"');
  expect(await stopped.end("SIGTERM")).toBe(0);
  await waiting.says("waiting for the schema");
  expect(waiting.output()).not.toContain("ready\n");
  const owner = { MIGRATE_DATABASE_URL: urls.ownerUrl };
  expect(await runOpsHere(owner, ["migrate", "billing"])).toMatchObject({ code: 0 });
  await waiting.says("ready\n");
  expect(await waiting.end("SIGTERM")).toBe(0);
  expect(waiting.output()).not.toContain(new URL(urls.url).password);
});

it("is refused with the key of another service, and says whose it is", async () => {
  await using use = new AsyncDisposableStack();
  const identity = { owner: "gateway", iat: 0 };
  const config = serviceConfig({ databaseUrl: urls.url, identity, trusted: { keys: [] } });
  await expect(openBase("billing", config, {}, use)).rejects.toThrow(
    new ConfigError(["SERVICE_KEY_FILE must be billing's private key, not gateway's"]),
  );
});

/** What a replica with this URL says that it waits for, and its wait. */
async function waitingFor(stack: AsyncDisposableStack, url: string, clock = systemClock) {
  const sql = stack.use(openPool(url));
  const said = Promise.withResolvers<{ text: string; reason: string }>();
  const warn = ({ reason }: { reason: string }, text: string) => said.resolve({ text, reason });
  const log = { warn } as never;
  const ready = schemaReady(sql, schema, { clock, log });
  ready.catch(() => {});
  return { ...(await said.promise), ready };
}

it.each([
  ["a wrong password", () => ({ password: "wrong" }), "Postgres"],
  ["no server", () => ({ port: "1" }), "Postgres"],
  [
    "the role of another service",
    () => new URL(database.urls.gateway.url),
    "the rights of the role: DATABASE_URL must name media_billing",
  ],
])("says with %s what it waits for, and not for a migration", async (_fault, part, thing) => {
  const { username, password, port } = part() as Partial<URL>;
  const url = new URL(urls.url);
  if (username) url.username = username;
  if (password) url.password = password;
  if (port) url.port = port;
  const clock = { ...systemClock, sleep: () => Promise.reject(new Error("it has said it")) };
  await using stack = new AsyncDisposableStack();
  expect((await waitingFor(stack, url.href, clock)).text).toBe(`waiting for ${thing}`);
});

it("waits where only its functions are not applied", async () => {
  const migrated = () => migrate({ url: urls.ownerUrl, ...schema });
  await migrated();
  await using stack = new AsyncDisposableStack();
  const owner = stack.use(openPool(urls.ownerUrl));
  await owner`delete from billing.schema_functions`;
  const { reason, ready } = await waitingFor(stack, urls.url);
  expect(reason).toBe("its functions are not applied");
  await migrated();
  await ready;
});
