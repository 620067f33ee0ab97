/** Waits until the started service says that it is ready: whoever reads its first lines may call it at once. */
import { type Clock, systemClock } from "#runtime/clock.ts";

const REPEAT_MS = 100;
const MAX_TRIES = 600;

/** Resolves also after a minute without: a service that is not ready yet answers some calls all the same. */
export async function untilReady(
  url: string,
  { clock = systemClock, get = fetch }: { clock?: Pick<Clock, "sleep">; get?: typeof fetch } = {},
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { ok } = await get(url);
    if (ok) return;
    await clock.sleep(REPEAT_MS);
  }
}
