/** The locks under which slots are assigned: only what shares a limit waits, and no lock is held for ever. */
import { beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import {
  lockCredentials,
  tryLockAccounts,
  tryLockCredentials,
} from "../../../services/generation/store/slot-locks.ts";
import { createClaimWork } from "../../../services/generation/worker/claim-work.ts";
import { testDatabase } from "../../support/database.ts";
import { scriptedUpstream, scriptedUpstreams } from "../../support/scripted-upstreams.ts";
import { useHarness } from "../fixture.ts";

const h = useHarness({ tokens: 0n });
beforeEach(() => h.endTasks());

describe("a worker that is paused in the middle of a statement", () => {
  it("does not keep the others from assigning slots", async () => {
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await testDatabase("generation"));
    const connect = () => {
      const sql = connectPostgres({ url, maxConnections: 1 }, "test");
      stack.defer(() => sql.end({ timeout: 1 }));
      return sql;
    };
    const [paused, other] = [connect(), connect()];
    const locked = Promise.withResolvers<void>();
    const ended = paused
      .begin(async (tx) => {
        await lockCredentials(tx, ["one"]);
        locked.resolve();
        // To Postgres, a client that stops between two messages of one statement looks just as busy.
        await tx`select pg_sleep(25)`;
      })
      .then(
        () => "committed",
        () => "cut off",
      );
    await locked.promise;
    await other.begin((tx) => lockCredentials(tx, ["one"]));
    expect(await ended).toBe("cut off");
  });
});

describe("while slots of one credential are being assigned", () => {
  const models = ["alpha-2.0-mini", "alpha-2.0-fast"];
  /** One task of an account for each model; each model has an upstream, and a credential, of its own. */
  async function twoQueues(accountIds: readonly [string, string]) {
    const limits = { credentialConcurrency: 100 };
    const upstreams = models.map((model) => scriptedUpstream(model, limits));
    h.deps.upstreams = {
      ...scriptedUpstreams(...upstreams),
      available: (_mode, model) => upstreams.filter(({ name }) => name === model),
    };
    for (const [index, model] of models.entries()) {
      const accountId = accountIds[index] ?? "";
      const address = { accountId, mode: Mode.LIVE, generationId: randomId("vgen") };
      await h.client.createVideo({ ...address, model, input: { prompt: "a cat" } });
    }
  }
  const account = () => h.account(1_000n);

  it("a worker assigns those of another one, and comes back to the first later", async () => {
    await twoQueues([await account(), await account()]);
    const claim = createClaimWork(h.deps);
    await h.sql.begin(async (other) => {
      expect(await tryLockCredentials(other, [`key of ${models[0]}`])).toBe(true);
      expect((await claim(10)).map(({ model }) => model)).toEqual([models[1]]);
    });
    expect((await claim(10)).map(({ model }) => model)).toEqual([models[0]]);
  });

  it("an account gets no slot elsewhere, so that its own limit holds, and others do", async () => {
    const [busy, idle] = [await account(), await account()];
    await twoQueues([busy, idle]);
    const claim = createClaimWork(h.deps);
    await h.sql.begin(async (other) => {
      expect(await tryLockAccounts(other, [busy], 1)).toEqual([busy]);
      expect((await claim(10)).map(({ accountId }) => accountId)).toEqual([idle]);
    });
    expect((await claim(10)).map(({ accountId }) => accountId)).toEqual([busy]);
  });
});

describe("the limit of an account", () => {
  it("holds over credentials when many workers claim at once", async () => {
    const upstreams = ["a", "b", "c"].map((name) =>
      scriptedUpstream(name, { credentialConcurrency: 100 }),
    );
    const served = ["alpha-2.0-mini", "alpha-2.0-fast", "alpha-2.0"];
    h.deps.upstreams = {
      ...scriptedUpstreams(...upstreams),
      available: (_mode, model) => upstreams.filter((_, index) => served[index] === model),
    };
    h.deps.accountConcurrency = 4;
    const accountId = await h.account(10_000n);
    for (const model of served) {
      for (let n = 0; n < 4; n++) {
        const address = { accountId, mode: Mode.LIVE, generationId: randomId("vgen") };
        await h.client.createVideo({ ...address, model, input: { prompt: "a cat" } });
      }
    }
    const workers = Array.from({ length: 6 }, () => createClaimWork(h.deps));
    const claimed = [];
    for (let n = 0; n < 3; n++) {
      claimed.push(...(await Promise.all(workers.map((claim) => claim(20)))).flat());
    }
    expect(claimed).toHaveLength(4);
  });
});
