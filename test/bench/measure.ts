/** Runs an operation from many concurrent callers and measures its rate and latencies. */

export type Measured = { perSecond: number; p50Ms: number; p99Ms: number };

type Operation = (caller: number) => Promise<unknown>;

export type Run = { latencies: readonly number[]; elapsedSeconds: number };

/** For `seconds`, each of `callers` starts the operation again as soon as it ends. */
export async function measure(
  callers: number,
  seconds: number,
  operation: Operation,
): Promise<Measured> {
  return summary([await runFor(callers, seconds, operation)]);
}

export async function runFor(callers: number, seconds: number, operation: Operation): Promise<Run> {
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const caller = async (index: number) => {
    while (performance.now() < end) {
      const started = performance.now();
      await operation(index);
      latencies.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  return { latencies, elapsedSeconds: (performance.now() - begin) / 1000 };
}

/** The rate and latencies of several runs together. */
export function summary(runs: readonly Run[]): Measured {
  const latencies = runs.flatMap((run) => run.latencies);
  const elapsedSeconds = runs.reduce((sum, run) => sum + run.elapsedSeconds, 0);
  const [p50Ms = 0, p99Ms = 0] = percentiles(latencies, [0.5, 0.99]);
  return { perSecond: latencies.length / elapsedSeconds, p50Ms, p99Ms };
}

/** The numbers that these parts of all are below; zeros where there are none. */
export function percentiles(numbers: readonly number[], parts: readonly number[]): number[] {
  const sorted = numbers.toSorted((a, b) => a - b);
  return parts.map((part) => sorted[Math.floor(sorted.length * part)] ?? 0);
}

/** A line of the report. */
export function line(name: string, { perSecond, p50Ms, p99Ms }: Measured): string {
  const figures = [
    `${Math.round(perSecond)}/s`.padStart(10),
    `p50 ${p50Ms.toFixed(2)} ms`.padStart(14),
    `p99 ${p99Ms.toFixed(2)} ms`.padStart(14),
  ];
  return `${name.padEnd(52)}${figures.join(" ")}\n`;
}
