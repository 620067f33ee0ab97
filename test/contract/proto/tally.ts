/** How many cases of each kind were made for each RPC. */

const KINDS = ["valid", "edges", "outside", "empty", "access", "wire"] as const;
type Kind = (typeof KINDS)[number];

export type Tally = {
  count: (rpc: string, kind: Kind, cases?: number) => void;
  /** RPCs that have no case of a kind which every RPC has. */
  gaps: () => string[];
  table: () => string;
};

/** A request without rules has no edges. */
const EVERY_RPC_HAS = ["valid", "empty", "access", "wire"] as const satisfies Kind[];

export function newTally(rpcs: readonly string[]): Tally {
  const counts = new Map<string, number>();
  const at = (rpc: string, kind: Kind) => counts.get(`${rpc} ${kind}`) ?? 0;
  return {
    count: (rpc, kind, cases = 1) => void counts.set(`${rpc} ${kind}`, at(rpc, kind) + cases),
    gaps: () =>
      rpcs.flatMap((rpc) =>
        EVERY_RPC_HAS.filter((kind) => at(rpc, kind) === 0).map((kind) => `${rpc}: ${kind}`),
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
