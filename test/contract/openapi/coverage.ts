/** Which operation was seen to answer which status with which code, and in how many cases. */
import { operations } from "./document.ts";

export type Coverage = {
  /** A case was made and its answer was the expected one. */
  count: (operationId: string, status: number, code: string) => void;
  /** Operations and documented statuses that no case produced. */
  gaps: () => string[];
  /** Documented codes that no case produced, which another code of the same status may stand for. */
  unseenCodes: () => string[];
  table: () => string;
};

export function newCoverage(): Coverage {
  const counts = new Map<string, Map<string, number>>();
  const at = (operationId: string, status: number) => `${operationId} ${status}`;
  const casesOf = (operationId: string, status: number) =>
    [...(counts.get(at(operationId, status))?.values() ?? [])].reduce((a, b) => a + b, 0);
  const every = operations.flatMap(({ id, answers }) =>
    answers.map(({ status, codes }) => ({ id, status, codes })),
  );
  return {
    count: (operationId, status, code) => {
      const codes = counts.get(at(operationId, status)) ?? new Map<string, number>();
      codes.set(code, (codes.get(code) ?? 0) + 1);
      counts.set(at(operationId, status), codes);
    },
    gaps: () =>
      every
        .filter(({ id, status }) => casesOf(id, status) === 0)
        .map(({ id, status }) => at(id, status)),
    unseenCodes: () =>
      every.flatMap(({ id, status, codes }) =>
        codes
          .filter((code) => !counts.get(at(id, status))?.has(code))
          .map((code) => `${at(id, status)} ${code}`),
      ),
    table: () => {
      const statuses = [...new Set(every.map(({ status }) => status))].toSorted((a, b) => a - b);
      const width = Math.max(...operations.map(({ id }) => id.length));
      const row = (name: string, cells: (string | number)[]) =>
        [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(5))].join(" ");
      const rows = operations.map(({ id, answers }) => {
        const cells = statuses.map((status) =>
          answers.some((one) => one.status === status) ? casesOf(id, status) : "",
        );
        const total = statuses.reduce((sum, status) => sum + casesOf(id, status), 0);
        return { text: row(id, [...cells, total]), total };
      });
      const total = rows.reduce((sum, one) => sum + one.total, 0);
      return [
        row("cases by status", [...statuses, "all"]),
        ...rows.map(({ text }) => text),
        `${operations.length} operations, ${every.length} documented answers, ${total} cases`,
      ].join("\n");
    },
  };
}
