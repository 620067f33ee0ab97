/**
 * A backup of Postgres that is taken while the service works restores to a service whose books agree. It starts two
 * services, so it runs with TEST_SIZE=long only.
 */
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { freePort } from "../../services/standalone/embedded/ports.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import { standaloneIn, temporaryFolder } from "../support/whole-service.ts";

const VIDEO = { model: "beta-3.0-video", prompt: "a cat", duration: 2 } as const;
const PRICE = 200;
const TOKENS = 100_000;

it.runIf(process.env["TEST_SIZE"] === "long")(
  "restores: ended videos stay, running ones end and are charged once, the ledger adds up",
  { timeout: 120_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await temporaryFolder());
    const [first, second] = [join(folder.path, "first"), join(folder.path, "second")];
    // The same port, because the addresses of outputs name it.
    const env = { PORT: String(await freePort()), SIMULATOR_PACE_MS: "1500" };

    const service = stack.use(await standaloneIn(first, env));
    const customer = await newCustomer(service, TOKENS);
    const key = await customer.key("live");
    const client = clientOf(service.url, key);
    const done = await client.waitForVideo((await client.createVideo(VIDEO)).id, { pollMs: 100 });
    const running = await Promise.all([1, 2, 3].map(() => client.createVideo(VIDEO)));
    await copyWhileRunning(join(first, "postgres"), join(second, "postgres"));
    const lost = await client.createVideo(VIDEO);
    await service.running.end("SIGKILL");
    // Streams are not restored; the database is above.
    const isKept = (path: string) => !/\/first\/(postgres|nats|lock)\b/.test(path);
    await cp(first, second, { recursive: true, filter: isKept });

    const restored = stack.use(await standaloneIn(second, env));
    const again = clientOf(restored.url, key);
    for (const { id } of running) {
      expect(await again.waitForVideo(id, { pollMs: 100 })).toMatchObject({ status: "success" });
    }
    const file = await fetch(done.output[0]?.url ?? "");
    expect((await file.arrayBuffer()).byteLength).toBe(done.output[0]?.bytes);
    await expect(again.retrieveVideo(lost.id)).rejects.toMatchObject({ status: 404 });
    expect(await again.retrieveBalance()).toMatchObject({
      available: TOKENS - 4 * PRICE,
      reserved: 0,
    });
    using operator = restored.operator();
    const audit = { accountId: customer.accountId, mode: Mode.LIVE };
    const { differences } = await operator.client("billing", BillingService).auditAccount(audit);
    expect(differences).toEqual([]);
    const { discrepancies } = await operator.client("generation", GenerationService).reconcile({});
    expect(discrepancies).toEqual([]);
  },
);

/** What pg_basebackup does, which the embedded PostgreSQL does not contain: the data, then the log that was written meanwhile. */
async function copyWhileRunning(from: string, to: string): Promise<void> {
  const data = join(from, "data");
  const password = (await readFile(join(from, "superuser-password"), "utf8")).trim();
  const [, , , port] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
  const sql = postgres(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`, { max: 1 });
  try {
    await mkdir(to, { recursive: true });
    await sql`select pg_backup_start('test', true)`;
    const isCopied = (path: string) => !/\/(postmaster\.(pid|opts)|pg_wal\/.*)$/.test(path);
    await cp(data, join(to, "data"), { recursive: true, filter: isCopied });
    const [stopped] = await sql<{ labelfile: string }[]>`
      select labelfile from pg_backup_stop(wait_for_archive => false)`;
    await writeFile(join(to, "data/backup_label"), stopped?.labelfile ?? "");
    await cp(join(data, "pg_wal"), join(to, "data/pg_wal"), { recursive: true });
    await cp(join(from, "superuser-password"), join(to, "superuser-password"));
  } finally {
    await sql.end();
  }
}
