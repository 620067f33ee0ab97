/** A model of the ledger in memory: what its calls must return. */
export type Operation =
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

export class LedgerModel {
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
