/** The lines and figures of the API benchmark's report. */
import type { LoadResult } from "./api-load.ts";
import { line, summary, type Measured } from "./measure.ts";

/** `processorMs`: the time that the server took meanwhile. */
export type Turn = LoadResult & { processorMs: number };

type Figures = Measured & { processorMicros: number };

/** One row: the service, and what it was measured beside. */
type RowReport = {
  name: string;
  /** How many times as many requests a second the service answers. */
  ratio: number;
  refused: number;
  service: Figures;
  limit: Figures;
};

export function reportOf(name: string, ours: readonly Turn[], limit: readonly Turn[]): RowReport {
  const [service, limited] = [figuresOf(ours), figuresOf(limit)];
  const refused = ours.reduce((sum, turn) => sum + turn.refused, 0);
  const ratio = service.perSecond / limited.perSecond;
  return { name, ratio, refused, service, limit: limited };
}

/** `beside` names what the service was measured beside. */
export function linesOf({ name, ratio, service, limit }: RowReport, beside: string): string {
  return lineOf(name, service) + lineOf(`  ${beside}; ratio ${ratio.toFixed(3)}`, limit);
}

/** The time that the process itself took for each request; other processes of the machine change it little. */
function figuresOf(turns: readonly Turn[]): Figures {
  const answers = turns.reduce((sum, { latencies }) => sum + latencies.length, 0);
  const processorMs = turns.reduce((sum, turn) => sum + turn.processorMs, 0);
  return { ...summary(turns), processorMicros: (1_000 * processorMs) / answers };
}

function lineOf(name: string, { processorMicros, ...measured }: Figures): string {
  const micros = `${Math.round(processorMicros)} µs of processor`;
  return `${line(name, measured).trimEnd()} ${micros.padStart(26)}\n`;
}
