/** Waits for a generation to end, by asking the service to hold its answers and by pauses where it does not. */
import type { Timing } from "./retry.ts";

export type WaitOptions<T> = {
  /** Called with the generation when it is first read, and whenever its status or progress has changed. */
  onProgress?: (generation: T) => void;
  /** Ends the waiting, not the generation; what was waited for rejects with its reason. */
  signal?: AbortSignal;
  /** Between two looks at the progress. Default 2,000 with `onProgress`, else 30,000; the end is told at once. */
  pollMs?: number;
};

/** Reads the generation; the service may hold its answer for that many seconds, and `isHeld` says whether it did. */
export type Look<T> = (holdSeconds: number) => Promise<{ generation: T; isHeld: boolean }>;

const QUICK_POLL_MS = 2_000;
const SLOW_POLL_MS = 30_000;
const MAX_HOLD_SECONDS = 60;

/** Resolves with the generation when its status is final. */
export async function waitForEnd<T extends { status: string; progress: number }>(
  look: Look<T>,
  { onProgress, signal, pollMs = onProgress ? QUICK_POLL_MS : SLOW_POLL_MS }: WaitOptions<T>,
  timing: Timing,
): Promise<T> {
  const holdSeconds = Math.min(MAX_HOLD_SECONDS, Math.floor(pollMs / 1_000));
  let told = "";
  // The first answer is not held, so that progress shows at once.
  for (let hold = onProgress ? 0 : holdSeconds; ; hold = holdSeconds) {
    const askedMs = timing.nowMs();
    const { generation, isHeld } = await look(hold);
    const news = `${generation.status} ${generation.progress}`;
    if (news !== told) onProgress?.(generation);
    told = news;
    if (isFinal(generation.status)) return generation;
    if (hold === 0 && holdSeconds > 0) continue;
    const betweenMs = isHeld ? pollMs : Math.min(pollMs, QUICK_POLL_MS);
    const leftMs = betweenMs - (timing.nowMs() - askedMs);
    if (leftMs > 0) await timing.sleep(leftMs, signal);
  }
}

function isFinal(status: string): boolean {
  return status === "success" || status === "failed" || status === "canceled";
}
