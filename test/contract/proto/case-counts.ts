/** Counts the cases of each kind for each RPC, and lists the RPCs without them. */

const KINDS = ["valid", "inside", "outside", "empty", "access", "wire"] as const;
type Kind = (typeof KINDS)[number];

export type CaseCounts = {
  count: (rpc: string, kind: Kind, cases?: number) => void;
  /** RPCs without a case of a kind that every RPC must have. */
  gaps: () => string[];
  table: () => string;
};

/** A request without rules has no case inside or outside of one. */
const KINDS_OF_EVERY_RPC = ["valid", "empty", "access", "wire"] as const satisfies Kind[];

export function newCaseCounts(rpcs: readonly string[]): CaseCounts {
  const counts = new Map<string, number>();
  const at = (rpc: string, kind: Kind) => counts.get(`${rpc} ${kind}`) ?? 0;
  return {
    count: (rpc, kind, cases = 1) => void counts.set(`${rpc} ${kind}`, at(rpc, kind) + cases),
    gaps: () =>
      rpcs.flatMap((rpc) =>
        KINDS_OF_EVERY_RPC.filter((kind) => at(rpc, kind) === 0).map((kind) => `${rpc}: ${kind}`),
      ),
    table: () => {
      const width = Math.max(...rpcs.map(({ length }) => length));
      const row = (name: string, cells: (string | number)[]) =>
        [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(7))].join(" ");
      const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
      const rows = rpcs.map((rpc) => KINDS.map((kind) => at(rpc, kind)));
      return [
        row("cases by kind", [...KINDS, "all"]),
        ...rpcs.map((rpc, index) => row(rpc, [...(rows[index] ?? []), sum(rows[index] ?? [])])),
        `${rpcs.length} RPCs, ${sum(rows.flat())} cases`,
      ].join("\n");
    },
  };
}
