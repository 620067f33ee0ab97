/**
 * An upgrade without downtime: replicas of two releases run on one migrated database, under load. It takes half a minute,
 * so it runs with TEST_SIZE=long only.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SERVICES } from "#runtime/service/service.ts";
import { startFleet } from "../support/compose/compose.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import { takeDumpLocks } from "../support/dump-locks.ts";
import { releasedTree, workingTree } from "../support/released-tree.ts";
import { isLong } from "../support/test-size.ts";

const VIDEOS = 24;
const READERS = 2;
const TREE = resolve(".");
const WAIT = { timeout: 60_000 };

/** One table of each service, which the next release gives a column. */
const TABLES = {
  gateway: "accounts",
  generation: "generations",
  billing: "balances",
  delivery: "assets",
};

/** The tree with another column in each service's schema, and a changed function. */
async function nextRelease(): Promise<AsyncDisposable & { path: string }> {
  await using stack = new AsyncDisposableStack();
  const next = stack.use(await workingTree());
  for (const service of SERVICES) {
    const add = `-- migrate:up\nalter table ${service}.${TABLES[service]} add column note text;\n\n-- migrate:down\n`;
    await writeFile(join(next.path, `services/${service}/migrations/9999_add_note.sql`), add);
  }
  const changed = join(next.path, "services/billing/functions/balances.sql");
  await writeFile(changed, `-- Changed.\n${await readFile(changed, "utf8")}`);
  return Object.assign(stack.move(), { path: next.path });
}

describe.runIf(isLong)("every request is served", { timeout: 300_000 }, () => {
  it("while the schema is migrated beside a backup, and with replicas of this release and the next", async () => {
    await using next = await nextRelease();
    expect(await upgrade({ from: TREE, to: next.path, isLocked: true })).toEqual([]);
  });

  it("with replicas of the last release and of this one", async ({ skip }) => {
    await using last = await releasedTree();
    if (!last) return skip("nothing is released, or this clone lacks the commit");
    return expect(await upgrade({ from: last.path, to: TREE, isLocked: false })).toEqual([]);
  });
});

/** From the code at a path to that at another; `isLocked`: a backup has its locks when it begins. */
type Upgrade = { from: string; to: string; isLocked: boolean };

/** Resolves with the requests that failed. */
async function upgrade({ from, to, isLocked }: Upgrade): Promise<unknown[]> {
  await using stack = new AsyncDisposableStack();
  const fleet = stack.use(await startFleet({ root: from }));
  const customer = await newCustomer(fleet);
  const client = clientOf(fleet.url, await customer.key("live"), { maxAttempts: 1 });
  const failures: unknown[] = [];
  /** Reads all the time until disposed of. */
  const startReading = (): AsyncDisposable => {
    let isStopped = false;
    const reading = Array.from({ length: READERS }, async () => {
      while (!isStopped && failures.length === 0) {
        await client.balance.retrieve().catch((error: unknown) => failures.push(error));
      }
    });
    return {
      async [Symbol.asyncDispose]() {
        isStopped = true;
        await Promise.all(reading);
      },
    };
  };
  const make = async (count: number) => {
    const video = { model: "beta-3.0-video", prompt: "a cat", duration: 2 } as const;
    const create = async () => (await client.videos.create(video)).id;
    const ids = await Promise.all(Array.from({ length: count }, create));
    const ended = await Promise.all(ids.map((id) => client.videos.wait(id, { pollMs: 250 })));
    expect(ended.filter(({ status }) => status !== "success")).toEqual([]);
  };

  {
    await using _reading = startReading();
    const making = make(VIDEOS / 2);
    const url = Object.assign(new URL(fleet.postgres.superuserUrl()), { pathname: "/media" }).href;
    const backup = isLocked ? await takeDumpLocks(url, SERVICES) : undefined;
    const migrated = Promise.all(SERVICES.map((service) => fleet.runJob(`migrate-${service}`, to)));
    if (backup) await vi.waitUntil(async () => (await backup.waiting()) > 0, WAIT);
    await backup?.[Symbol.asyncDispose]();
    await migrated;
    await making;
  }
  // The first replica of each service stays what it is; the other is of the next release.
  await Promise.all(
    SERVICES.map(async (service) => {
      const [, replaced] = fleet.of(service);
      expect(replaced?.state()).toBe("running");
      await replaced?.stop();
      await replaced?.start(to);
    }),
  );
  {
    await using _reading = startReading();
    await make(VIDEOS / 2);
  }
  // An earlier release starts on the schema of the next one: that is the way back.
  const [back] = fleet.of("billing");
  await back?.stop();
  await back?.start();
  await make(1);
  return failures;
}
