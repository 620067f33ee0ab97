/** The ledger against a model, with random operations: concurrent, repeated and interrupted ones. */
import fc from "fast-check";
import { derivedId, randomId } from "#runtime/id.ts";
import { auditAccount } from "../../services/billing/store/audits.ts";
import { creditBalance, readBalance, type Credit } from "../../services/billing/store/balances.ts";
import { batchedMoves, moveTokens, type Move } from "../../services/billing/store/moves.ts";
import { setTokenLimits } from "../../services/billing/store/account-settings.ts";
import { newMove } from "../support/billing-deps.ts";
import { connectedDatabase } from "../support/database.ts";
import { forTests } from "../support/for-tests.ts";
import { manualClock } from "../support/manual-clock.ts";
import { isLong } from "../support/test-size.ts";

/** Duration and seed can be set: `LEDGER_SECONDS=600 LEDGER_SEED=7 npm test -- test/billing`. */
const SECONDS = Number(process.env["LEDGER_SECONDS"] ?? (isLong ? 300 : Infinity));
/** Where no duration is set. */
const RUNS = 40;
const SEED = Number(process.env["LEDGER_SEED"] ?? 20_261_121);

/** `isWhole`: a capture charges all of the hold, not `tokens`. */
type HoldMove = Pick<Move, "kind" | "maxOpenHolds"> & {
  id: number;
  tokens: bigint;
  isWhole: boolean;
};
type CreditMove = Pick<Credit, "type" | "tokens"> & { reference: string };

type Hold = { tokens: bigint; charged?: bigint; state: "held" | "captured" | "released" };

/** The ledger in memory: what its calls must return. */
class LedgerModel {
  /** How many Tokens may be reserved and not restored; undefined for any. */
  private readonly limit: bigint | undefined;
  available = 0n;
  reserved = 0n;
  readonly holds = new Map<number, Hold>();
  readonly credits = new Map<string, CreditMove>();

  constructor(limit: bigint | undefined) {
    this.limit = limit;
  }

  /** Applies the move and returns its outcome. */
  move(it: HoldMove): string {
    if (it.kind === "reserve") return this.reserve(it);
    return this.resolve(it.id, it.kind, it.isWhole ? null : it.tokens);
  }

  private reserve({ id, tokens, maxOpenHolds }: HoldMove): string {
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
      return kind === "release" || tokens === null || tokens === hold.charged ? "ok" : "differs";
    }
    const charged = kind === "release" ? 0n : (tokens ?? hold.tokens);
    if (charged > hold.tokens) return "differs";
    this.reserved -= hold.tokens;
    this.available += hold.tokens - charged;
    hold.charged = charged;
    hold.state = end;
    return "ok";
  }

  /** The same of a credit. */
  credit(it: CreditMove): string {
    const earlier = this.credits.get(it.reference);
    if (earlier) {
      if (earlier.type !== it.type) return "other_type";
      return earlier.tokens === it.tokens ? "repeated" : "differs";
    }
    if (this.available + it.tokens < 0n) return "insufficient";
    this.available += it.tokens;
    this.credits.set(it.reference, it);
    return "ok";
  }
}

const clock = manualClock();
const database = forTests(() => connectedDatabase("billing", 8));

const move: fc.Arbitrary<HoldMove> = fc.record({
  kind: fc.constantFrom("reserve", "reserve", "reserve", "capture", "release"),
  id: fc.integer({ min: 0, max: 7 }),
  tokens: fc.bigInt({ min: 0n, max: 60n }),
  isWhole: fc.constantFrom(true, false, false, false),
  maxOpenHolds: fc.constantFrom(0, 0, 3),
});
const creditOf = (type: CreditMove["type"], min: bigint, max: bigint) =>
  fc.record({
    type: fc.constant(type),
    reference: fc.constantFrom("a", "b", "c"),
    tokens: fc.bigInt({ min, max }),
  });
const credit = fc.oneof(creditOf("recharge", 1n, 200n), creditOf("adjustment", -150n, 80n));
type Step = { together: HoldMove[] } | { credit: CreditMove } | { interrupted: HoldMove };
/** Concurrent moves, a credit, or a move whose transaction is interrupted before its commit. */
const together = fc.array(move, { minLength: 1, maxLength: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ together }) },
  { weight: 2, arbitrary: fc.record({ credit }) },
  { weight: 1, arbitrary: fc.record({ interrupted: move }) },
);

describe("the ledger", () => {
  it(
    "returns what its model returns, for operations in any order, concurrent, repeated or interrupted",
    async () => {
      let runs = 0;
      const operations = fc.array(step, { minLength: 6, maxLength: 12 });
      const limits = fc.option(fc.bigInt({ min: 1n, max: 200n }), { nil: undefined });
      const property = fc.asyncProperty(operations, limits, async (steps, limit) => {
        runs += 1;
        const accountId = randomId("acct");
        const model = new LedgerModel(limit);
        const moved = batchedMoves(database.sql, clock);
        if (limit !== undefined) {
          const limits = { countedFor: "", dayTokens: null, monthTokens: limit };
          await setTokenLimits(database.sql, { accountId, ...limits, at: clock.now() });
        }
        const rowOf = ({ id, isWhole, ...it }: HoldMove): Move => ({
          ...newMove(accountId, it.kind),
          ...it,
          generationId: derivedId("vgen", [accountId, String(id)]),
          tokens: it.kind === "release" || (it.kind === "capture" && isWhole) ? null : it.tokens,
        });
        const outcomes: string[] = [];
        const expected: string[] = [];
        const funded = { credit: { type: "recharge", reference: "first", tokens: 150n } } as const;
        for (const one of [funded, ...steps]) {
          if ("interrupted" in one) await interrupt(rowOf(one.interrupted));
          else if ("credit" in one) {
            outcomes.push(await creditTokens(accountId, one.credit));
            expected.push(model.credit(one.credit));
          } else {
            const calls = one.together.map((it) => moved(rowOf(it)));
            outcomes.push(...(await Promise.all(calls)).map(({ outcome }) => outcome));
            expected.push(...one.together.map((it) => model.move(it)));
          }
        }
        expect(outcomes).toEqual(expected);
        const owner = { accountId, mode: "live" } as const;
        const balance = await readBalance(database.sql, owner, new Date());
        expect([balance.available, balance.reserved]).toEqual([model.available, model.reserved]);
        expect((await auditAccount(database.sql, owner)).differences).toEqual([]);
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

async function creditTokens(accountId: string, it: CreditMove): Promise<string> {
  const { outcome } = await creditBalance(database.sql, {
    ...it,
    accountId,
    mode: "live",
    transactionId: randomId("txn"),
    note: "test",
    actor: "test",
    at: new Date(),
  });
  return outcome;
}

/** Runs the statement of a move and ends its transaction before the commit, like a process that dies. */
async function interrupt(move: Move): Promise<void> {
  const dies = database.sql.begin(async (transaction) => {
    const lost = { ...move, generationId: randomId("vgen"), entryId: randomId("txn"), tokens: 1n };
    await moveTokens(transaction, [lost], new Date());
    throw new Error("died");
  });
  await expect(dies).rejects.toThrow("died");
}
