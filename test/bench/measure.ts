/** Runs an operation from many callers at once and says how many a second, and how long each took. */

export type Measured = { perSecond: number; p50Ms: number; p99Ms: number };

/** Each of `callers` calls again as soon as it is answered, for `seconds`. */
export async function measure(
  callers: number,
  seconds: number,
  operation: (caller: number) => Promise<unknown>,
): Promise<Measured> {
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
  const elapsedSeconds = (performance.now() - begin) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0;
  return { perSecond: latencies.length / elapsedSeconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** A row of a table of figures. */
export function line(name: string, { perSecond, p50Ms, p99Ms }: Measured): string {
  const figures = [
    `${Math.round(perSecond)}/s`.padStart(10),
    `p50 ${p50Ms.toFixed(2)} ms`.padStart(14),
    `p99 ${p99Ms.toFixed(2)} ms`.padStart(14),
  ];
  return `${name.padEnd(52)}${figures.join(" ")}\n`;
}
