/** Counts the cases by operation, status and error code, and lists the documented ones without a case. */
import { operations } from "./document.ts";

export type Coverage = {
  /** Counts a case whose response was the expected one. */
  count: (operationId: string, status: number, code: string) => void;
  /** The documented statuses of operations without a case. */
  gaps: () => string[];
  /** The documented codes without a case. Another code of the same status may have one. */
  missingCodes: () => string[];
  table: () => string;
};

export function newCoverage(): Coverage {
  const counts = new Map<string, Map<string, number>>();
  const rowKey = (operationId: string, status: number) => `${operationId} ${status}`;
  const casesOf = (operationId: string, status: number) =>
    [...(counts.get(rowKey(operationId, status))?.values() ?? [])].reduce((a, b) => a + b, 0);
  const documented = operations.flatMap(({ id, responses }) =>
    responses.map(({ status, codes }) => ({ id, status, codes })),
  );
  return {
    count: (operationId, status, code) => {
      const codes = counts.get(rowKey(operationId, status)) ?? new Map<string, number>();
      codes.set(code, (codes.get(code) ?? 0) + 1);
      counts.set(rowKey(operationId, status), codes);
    },
    gaps: () =>
      documented
        .filter(({ id, status }) => casesOf(id, status) === 0)
        .map(({ id, status }) => rowKey(id, status)),
    missingCodes: () =>
      documented.flatMap(({ id, status, codes }) =>
        codes
          .filter((code) => !counts.get(rowKey(id, status))?.has(code))
          .map((code) => `${rowKey(id, status)} ${code}`),
      ),
    table: () => {
      const statuses = [...new Set(documented.map(({ status }) => status))].toSorted(
        (a, b) => a - b,
      );
      const width = Math.max(...operations.map(({ id }) => id.length));
      const row = (name: string, cells: (string | number)[]) =>
        [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(5))].join(" ");
      const rows = operations.map(({ id, responses }) => {
        const cells = statuses.map((status) =>
          responses.some((one) => one.status === status) ? casesOf(id, status) : "",
        );
        const total = statuses.reduce((sum, status) => sum + casesOf(id, status), 0);
        return { text: row(id, [...cells, total]), total };
      });
      const total = rows.reduce((sum, one) => sum + one.total, 0);
      return [
        row("cases by status", [...statuses, "all"]),
        ...rows.map(({ text }) => text),
        `${operations.length} operations, ${documented.length} documented responses, ${total} cases`,
      ].join("\n");
    },
  };
}
