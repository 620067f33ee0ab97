/**
 * A backup of Postgres that is taken while the service works restores to a service whose books agree: a copy of the
 * server's files, and a dump by the commands of docs/operations.md. Each starts two services, so both run with
 * TEST_SIZE=long only. The dump also needs an installed PostgreSQL, because the embedded one has no pg_dump.
 */
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { SERVICES } from "#runtime/service/service.ts";
import { connected, databaseUrls, rolesOf } from "../../services/ops/setup/provision.ts";
import { passwordVariable } from "../../services/ops/session/config.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import { locateInstalledPostgres, startInstalledPostgres } from "../support/installed-postgres.ts";
import { operatorOf } from "../support/operator.ts";
import { runToEnd } from "../support/process.ts";
import { standaloneIn, type WholeService } from "../support/whole-service.ts";
import { isLong } from "../support/test-size.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const VIDEO = { model: "beta-3.0-video", prompt: "a cat", duration: 2 } as const;
const PRICE = 200;
const TOKENS = 100_000;
const PACED = { SIMULATOR_PACE_MS: "1500" };
const PASSWORD = "of-a-role";
const PASSWORDS = Object.fromEntries(
  SERVICES.flatMap(rolesOf).map((role) => [passwordVariable(role), PASSWORD]),
);

const BALANCED = { differences: [], discrepancies: [] };
const installed = locateInstalledPostgres();

it.runIf(isLong)(
  "restores: ended videos stay, running ones end and are charged once, the ledger adds up",
  { timeout: 120_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await temporaryFolder());
    const [first, second] = [join(folder.path, "first"), join(folder.path, "second")];
    // The same port, because the addresses of outputs name it.
    const env = { ...PACED, PORT: String(await freePort()) };

    const service = stack.use(await standaloneIn(first, env));
    const worked = await work(service, () =>
      copyWhileRunning(join(first, "postgres"), join(second, "postgres")),
    );
    await service.running.end("SIGKILL");
    // Streams are not restored; the database is above.
    const isKept = (path: string) => !/\/first\/(postgres|nats|lock)\b/.test(path);
    await cp(first, second, { recursive: true, filter: isKept });

    const restored = stack.use(await standaloneIn(second, env));
    expect(await booksAfter(restored, worked)).toEqual(BALANCED);
  },
);

it.runIf(isLong && installed !== undefined)(
  "is restored from a dump by the documented commands, without an error",
  { timeout: 120_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const { path } = stack.use(await temporaryFolder());
    // The server may run as another user.
    await chmod(path, 0o755);
    const server = async (name: string) =>
      stack.use(await startInstalledPostgres(installed ?? "", join(path, name)));
    const [old, young] = [await server("old"), await server("young")];
    const data = join(path, "data");
    const dump = join(path, "media.dump");
    const env = { ...PACED, ...PASSWORDS, PORT: String(await freePort()) };

    const service = stack.use(await standaloneIn(data, { ...env, DATABASE_URL: old.superuserUrl }));
    const worked = await work(service, () => documented("pg_dump", dump, old));
    await service.running.end("SIGKILL");
    await rm(join(data, "nats"), { recursive: true });

    const { ops } = operatorOf({ ...PASSWORDS, ADMIN_DATABASE_URL: young.superuserUrl });
    await ops("provision");
    await documented("pg_restore", dump, young);
    for (const name of SERVICES) {
      const { ownerUrl } = databaseUrls(young.superuserUrl, "media", () => PASSWORD)[name];
      const migrate = { MIGRATE_DATABASE_URL: ownerUrl };
      expect(await runToEnd("services/ops/main.ts", migrate, ["migrate", name])).toMatchObject({
        code: 0,
      });
    }
    const again = { ...env, DATABASE_URL: young.superuserUrl };
    const restored = stack.use(await standaloneIn(data, again));
    expect(await booksAfter(restored, worked)).toEqual(BALANCED);
  },
);

/** Ends one video, and takes the backup while three are running; a fourth is created after it. */
async function work(service: WholeService, backUp: () => Promise<void>) {
  const customer = await newCustomer(service, TOKENS);
  const key = await customer.key("live");
  const client = clientOf(service.url, key);
  const done = await client.videos.wait((await client.videos.create(VIDEO)).id, { pollMs: 100 });
  const running = await Promise.all([1, 2, 3].map(() => client.videos.create(VIDEO)));
  await backUp();
  const lost = await client.videos.create(VIDEO);
  return { customer, key, done, running, lost };
}

/** Waits for what was running, checks what clients see, and returns what the audit and the reconciliation find. */
async function booksAfter(
  restored: WholeService,
  { customer, key, done, running, lost }: Awaited<ReturnType<typeof work>>,
): Promise<{ differences: unknown[]; discrepancies: unknown[] }> {
  const again = clientOf(restored.url, key);
  for (const { id } of running) {
    expect(await again.videos.wait(id, { pollMs: 100 })).toMatchObject({ status: "success" });
  }
  const file = await fetch(done.output[0]?.url ?? "");
  expect((await file.arrayBuffer()).byteLength).toBe(done.output[0]?.bytes);
  await expect(again.videos.retrieve(lost.id)).rejects.toMatchObject({ status: 404 });
  expect(await again.balance.retrieve()).toMatchObject({
    available: TOKENS - 4 * PRICE,
    reserved: 0,
  });
  using operator = restored.operator();
  const audit = { accountId: customer.accountId, mode: Mode.LIVE };
  const { differences } = await operator.billing.auditAccount(audit);
  const { discrepancies } = await operator.generation.reconcile({});
  return { differences, discrepancies };
}

type Installed = Awaited<ReturnType<typeof startInstalledPostgres>>;

/** Runs the line of docs/operations.md that begins with `program`, on `dump` and a server; rejects where it fails. */
async function documented(program: string, dump: string, { env, superuserUrl }: Installed) {
  const text = await readFile("docs/operations.md", "utf8");
  const line = text.split("\n").find((one) => one.startsWith(`${program} `)) ?? "";
  const [, ...args] = (line.split("#")[0] ?? "").trim().split(/ +/);
  const database = new URL("media", superuserUrl).href;
  const given = args.map((arg) => arg.replace("media.dump", dump).replace(/postgres:.*/, database));
  await promisify(execFile)(join(installed ?? "", program), given, { env });
}

/**
 * What pg_basebackup does, which the embedded PostgreSQL does not contain: the data, then the log that was written
 * meanwhile.
 */
async function copyWhileRunning(from: string, to: string): Promise<void> {
  const data = join(from, "data");
  const password = (await readFile(join(from, "superuser-password"), "utf8")).trim();
  const [, , , port] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await mkdir(to, { recursive: true });
  await connected(url, async (sql) => {
    await sql`select pg_backup_start('test', true)`;
    const isCopied = (path: string) => !/\/(postmaster\.(pid|opts)|pg_wal\/.*)$/.test(path);
    await cp(data, join(to, "data"), { recursive: true, filter: isCopied });
    const [stopped] = await sql<{ labelfile: string }[]>`
      select labelfile from pg_backup_stop(wait_for_archive => false)`;
    await writeFile(join(to, "data/backup_label"), stopped?.labelfile ?? "");
    await cp(join(data, "pg_wal"), join(to, "data/pg_wal"), { recursive: true });
    await cp(join(from, "superuser-password"), join(to, "superuser-password"));
  });
}
