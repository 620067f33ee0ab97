/**
 * An upgrade without downtime: replicas of two releases run on one migrated database, under load. It takes half a minute,
 * so it runs with TEST_SIZE=long only.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyTree } from "../mutation/tree-copy.ts";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import { startFleet } from "../support/compose/compose.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import { isLong } from "../support/test-size.ts";

const VIDEOS = 24;
const READERS = 2;

/** One table of each service, which the next release gives a column. */
const TABLES = {
  gateway: "accounts",
  generation: "generations",
  billing: "balances",
  delivery: "assets",
};

it.runIf(isLong)(
  "serves every request while the schema is migrated, and with replicas of both releases",
  { timeout: 180_000 },
  async () => {
    await using stack = new AsyncDisposableStack();
    const next = stack.use(await copyTree());
    for (const service of SERVICES) {
      const add = `-- migrate:up\nalter table ${service}.${TABLES[service]} add column note text;\n\n-- migrate:down\n`;
      await writeFile(join(next.path, `services/${service}/migrations/9999_add_note.sql`), add);
    }
    const changed = join(next.path, "services/billing/functions/open_balance.sql");
    await writeFile(changed, `-- Changed.\n${await readFile(changed, "utf8")}`);

    const fleet = stack.use(await startFleet());
    const customer = await newCustomer(fleet);
    const client = clientOf(fleet.url, await customer.key("live"), { maxAttempts: 1 });
    const failures: unknown[] = [];
    /** Reads all the time until disposed of. */
    const startReading = (): AsyncDisposable => {
      let isStopped = false;
      const reading = Array.from({ length: READERS }, async () => {
        while (!isStopped && failures.length === 0) {
          await client.retrieveBalance().catch((error: unknown) => failures.push(error));
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
      const create = async () => (await client.createVideo(video)).id;
      const ids = await Promise.all(Array.from({ length: count }, create));
      const ended = await Promise.all(ids.map((id) => client.waitForVideo(id, { pollMs: 250 })));
      expect(ended.filter(({ status }) => status !== "success")).toEqual([]);
    };

    {
      await using _reading = startReading();
      const making = make(VIDEOS / 2);
      for (const service of SERVICES) await fleet.runJob(`migrate-${service}`, next.path);
      await making;
    }
    // The first replica of each service stays what it is; the other is of the next release.
    await Promise.all(
      SERVICES.map(async (service) => {
        const [, replaced] = fleet.of(service);
        await replaced?.stop();
        await replaced?.start({}, next.path);
      }),
    );
    {
      await using _reading = startReading();
      await make(VIDEOS / 2);
    }
    // An earlier release starts on the schema of the next one: that is the way back.
    await fleet.of("billing")[0]?.restart();
    await make(1);
    expect(failures).toEqual([]);
  },
);
