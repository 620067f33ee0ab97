/** The ledger against a model, with random operations: concurrent, repeated and interrupted ones. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { derivedId, randomId } from "#runtime/id.ts";
import { type Sql } from "#runtime/postgres/connect.ts";
import { auditAccount } from "../../services/billing/store/audits.ts";
import { creditBalance, readBalance } from "../../services/billing/store/balances.ts";
import { batchedMoves, moveTokens, type Move } from "../../services/billing/store/moves.ts";
import { setTokenLimits } from "../../services/billing/store/account-settings.ts";
import { connectedDatabase } from "../support/database.ts";
import { manualClock } from "../support/manual-clock.ts";
import { isLong } from "../support/test-size.ts";
import { forTests } from "../support/for-tests.ts";

/** Duration and seed can be set: `LEDGER_SECONDS=600 LEDGER_SEED=7 npm test -- test/billing`. */
const SECONDS = Number(process.env["LEDGER_SECONDS"] ?? (isLong ? 300 : Infinity));
/** Where no duration is set. */
const RUNS = 40;
const SEED = Number(process.env["LEDGER_SEED"] ?? 20_261_121);

type Operation =
  | { kind: "reserve"; id: number; tokens: bigint; maxOpenHolds: number }
  /** `tokens` null: all of the hold. */
  | { kind: "capture"; id: number; tokens: bigint | null }
  | { kind: "release"; id: number }
  | { kind: "recharge"; reference: number; tokens: bigint }
  | { kind: "adjustment"; reference: number; tokens: bigint };

type Hold = {
  tokens: bigint;
  charged?: bigint;
  state: "held" | "captured" | "released";
};

/** The ledger in memory: what its calls must return. */
class LedgerModel {
  /** How many Tokens may be reserved and not restored; undefined for any. */
  private readonly limit: bigint | undefined;
  available = 0n;
  reserved = 0n;
  readonly holds = new Map<number, Hold>();
  readonly credits = new Map<number, { kind: string; tokens: bigint }>();

  constructor(limit: bigint | undefined) {
    this.limit = limit;
  }

  /** Applies the operation and returns its outcome. */
  apply(it: Operation): string {
    switch (it.kind) {
      case "reserve":
        return this.reserve(it.id, it.tokens, it.maxOpenHolds);
      case "capture":
        return this.resolve(it.id, it.kind, it.tokens);
      case "release":
        return this.resolve(it.id, it.kind, null);
      case "recharge":
      case "adjustment":
        return this.credit(it.kind, it.reference, it.tokens);
    }
  }

  private reserve(id: number, tokens: bigint, maxOpenHolds: number): string {
    const hold = this.holds.get(id);
    if (hold) {
      if (hold.state === "released") return "resolved";
      return hold.tokens === tokens ? "ok" : "differs";
    }
    const open = [...this.holds.values()].filter(({ state }) => state === "held").length;
    const isFull = maxOpenHolds > 0 && open >= maxOpenHolds;
    const isOverLimit = this.limit !== undefined && this.used() + tokens > this.limit;
    if (isFull || this.available < tokens || isOverLimit) {
      return isFull ? "too_many" : this.available < tokens ? "insufficient" : "over_limit";
    }
    this.available -= tokens;
    this.reserved += tokens;
    this.holds.set(id, { tokens, state: "held" });
    return "ok";
  }

  private used(): bigint {
    const counted = [...this.holds.values()].filter(({ state }) => state !== "released");
    return counted.reduce((sum, { tokens, charged = tokens }) => sum + charged, 0n);
  }

  private resolve(id: number, kind: "capture" | "release", tokens: bigint | null): string {
    const hold = this.holds.get(id);
    const end = kind === "capture" ? "captured" : "released";
    if (!hold) return kind === "capture" ? "missing" : "ok";
    if (hold.state !== "held") {
      if (hold.state !== end) return "resolved";
      return tokens === null || tokens === hold.charged ? "ok" : "differs";
    }
    const charged = kind === "release" ? 0n : (tokens ?? hold.tokens);
    if (charged > hold.tokens) return "differs";
    this.reserved -= hold.tokens;
    this.available += hold.tokens - charged;
    hold.charged = charged;
    hold.state = end;
    return "ok";
  }

  private credit(kind: "recharge" | "adjustment", reference: number, tokens: bigint): string {
    const earlier = this.credits.get(reference);
    if (earlier) {
      if (earlier.kind !== kind) return "other_type";
      return earlier.tokens === tokens ? "repeated" : "differs";
    }
    if (this.available + tokens < 0n) return "insufficient";
    this.available += tokens;
    this.credits.set(reference, { kind, tokens });
    return "ok";
  }
}

const clock = manualClock();
const database = forTests(() => connectedDatabase("billing", 8));
let sql: Sql;
beforeAll(() => void ({ sql } = database));

const id = fc.integer({ min: 0, max: 11 });
const price = fc.bigInt({ min: 0n, max: 60n });
const move: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("reserve" as const),
      id,
      tokens: price,
      maxOpenHolds: fc.constantFrom(0, 0, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant("release" as const), id }),
      fc.record({
        kind: fc.constant("capture" as const),
        id,
        tokens: fc.option(price, { nil: null }),
      }),
    ),
  },
);
const reference = fc.integer({ min: 0, max: 5 });
const credit: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant("recharge" as const),
    reference,
    tokens: fc.bigInt({ min: 1n, max: 200n }),
  }),
  fc.record({
    kind: fc.constant("adjustment" as const),
    reference,
    tokens: fc.bigInt({ min: -150n, max: 80n }),
  }),
);
/** Concurrent moves, a credit, or a move whose transaction is interrupted before its commit. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(move, { minLength: 1, maxLength: 8 })
      .map((moves) => ({ kind: "together" as const, moves })),
  },
  { weight: 2, arbitrary: credit.map((it) => ({ kind: "credit" as const, it })) },
  { weight: 1, arbitrary: move.map((it) => ({ kind: "interrupted" as const, it })) },
);

describe("the ledger", () => {
  it(
    "returns what its model returns, for operations in any order, concurrent, repeated or interrupted",
    async () => {
      let runs = 0;
      const operations = fc.array(step, { maxLength: 12 });
      const limits = fc.option(fc.bigInt({ min: 1n, max: 200n }), { nil: undefined });
      const property = fc.asyncProperty(operations, limits, async (steps, limit) => {
        runs += 1;
        const accountId = randomId("acct");
        const model = new LedgerModel(limit);
        const moved = batchedMoves(sql, clock);
        if (limit !== undefined) await limitMonth(accountId, limit);
        const rowOf = (it: Extract<Operation, { id: number }>): Move => ({
          accountId,
          mode: "live",
          kind: it.kind,
          generationId: derivedId("vgen", [accountId, String(it.id)]),
          attempt: 1,
          tokens: it.kind === "release" ? null : it.tokens,
          entryId: randomId("txn"),
          maxOpenHolds: it.kind === "reserve" ? it.maxOpenHolds : 0,
          keyId: null,
          endUser: null,
          rowServer: 0n,
        });
        const outcomes: string[] = [];
        const expected: string[] = [];
        for (const one of steps) {
          if (one.kind === "interrupted") {
            await interrupt(rowOf(one.it as Extract<Operation, { id: number }>));
          } else if (one.kind === "credit") {
            outcomes.push(await creditTokens(accountId, one.it));
            expected.push(model.apply(one.it));
          } else {
            const moves = one.moves as Extract<Operation, { id: number }>[];
            const calls = moves.map((it) => moved(rowOf(it)));
            outcomes.push(...(await Promise.all(calls)).map(({ outcome }) => outcome));
            expected.push(...moves.map((it) => model.apply(it)));
          }
        }
        expect(outcomes).toEqual(expected);
        const balance = await readBalance(sql, accountId, "live", new Date());
        expect([balance.available, balance.reserved]).toEqual([model.available, model.reserved]);
        expect((await auditAccount(sql, accountId, "live")).differences).toEqual([]);
      });
      await fc.assert(property, {
        seed: SEED,
        ...(Number.isFinite(SECONDS)
          ? { numRuns: 1_000_000, interruptAfterTimeLimit: SECONDS * 1000 }
          : { numRuns: RUNS }),
        markInterruptAsFailure: false,
      });
      process.stdout.write(`ledger model: ${runs} runs from seed ${SEED}\n`);
    },
    (Number.isFinite(SECONDS) ? SECONDS * 1000 : 0) + 120_000,
  );
});

function limitMonth(accountId: string, monthTokens: bigint): Promise<void> {
  const at = clock.now();
  return setTokenLimits(sql, { accountId, countedFor: "", dayTokens: null, monthTokens, at });
}

function creditTokens(accountId: string, it: Operation): Promise<string> {
  if (it.kind !== "recharge" && it.kind !== "adjustment") throw new Error("not a credit");
  return creditBalance(sql, {
    accountId,
    mode: "live",
    type: it.kind,
    transactionId: randomId("txn"),
    tokens: it.tokens,
    reference: String(it.reference),
    note: "test",
    actor: "test",
    at: new Date(),
  }).then(({ outcome }) => outcome);
}

/** Runs the statement of a move and ends its transaction before the commit, like a process that dies. */
async function interrupt(move: Move): Promise<void> {
  const dies = sql.begin(async (transaction) => {
    const lost = { ...move, generationId: randomId("vgen"), entryId: randomId("txn"), tokens: 1n };
    await moveTokens(transaction, [lost], new Date());
    throw new Error("died");
  });
  await expect(dies).rejects.toThrow("died");
}
