/** The lines of the API benchmark's report. */
import type { LoadResult } from "./api-load.ts";
import { line, summary } from "./measure.ts";

/** `processorMs`: the time that the server took meanwhile. */
export type Turn = LoadResult & { processorMs: number };

/** One row: the service, and what it was measured beside, which `name` names. */
export function reportOf(
  row: string,
  service: readonly Turn[],
  beside: { name: string; turns: readonly Turn[] },
): string {
  const ratio = summary(service).perSecond / summary(beside.turns).perSecond;
  const refused = service.reduce((sum, turn) => sum + turn.refused, 0);
  const refusal = service.find((turn) => turn.refusal)?.refusal;
  return [
    lineOf(row, service),
    lineOf(`  ${beside.name}; ratio ${ratio.toFixed(3)}`, beside.turns),
    refused > 0 ? `  ${refused} refused: ${refusal}\n` : "",
  ].join("");
}

/** With the time that the process itself took for each request; other processes of the machine change it little. */
function lineOf(name: string, turns: readonly Turn[]): string {
  const answers = turns.reduce((sum, { latencies }) => sum + latencies.length, 0);
  const processorMs = turns.reduce((sum, turn) => sum + turn.processorMs, 0);
  const micros = `${Math.round((1_000 * processorMs) / answers)} µs of processor`;
  return `${line(name, summary(turns)).trimEnd()} ${micros.padStart(26)}\n`;
}
