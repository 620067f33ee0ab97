/** How a job will go: its times and its end, from what the simulate instruction asks. */

export type Plan = {
  readonly queued_ms: number;
  /** Time from creation to the end; null: it never ends. */
  readonly total_ms: number | null;
  readonly fail_code?: string;
};

const QUEUED_SHARE = 0.1;
const IMAGE_SHARE = 0.25;

/** An instruction that is absent or not understood gives a job that succeeds at the usual pace. */
export function planOf(kind: "video" | "image", simulate: unknown, paceMs: number): Plan {
  const usualMs = kind === "video" ? paceMs : paceMs * IMAGE_SHARE;
  const instruction = typeof simulate === "string" ? simulate : "";
  if (instruction === "hang") return { queued_ms: usualMs * QUEUED_SHARE, total_ms: null };
  const slow = /^slow:(\d{1,7}(?:\.\d{1,3})?)$/.exec(instruction);
  if (slow !== null) return timed(Number(slow[1]) * 1000);
  const fail = /^fail:([a-z][a-z0-9_]{0,63})$/.exec(instruction);
  if (fail?.[1] !== undefined) return { ...timed(usualMs / 2), fail_code: fail[1] };
  return timed(usualMs);
}

/** Whether a picture will be asked for at all. */
export function needsPicture(plan: Plan): boolean {
  return plan.total_ms !== null && plan.fail_code === undefined;
}

function timed(totalMs: number): Plan {
  return { queued_ms: totalMs * QUEUED_SHARE, total_ms: totalMs };
}
