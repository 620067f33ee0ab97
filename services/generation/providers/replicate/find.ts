/** Finds the prediction of a lost create among the account's latest predictions. */
import { addMs } from "#runtime/clock.ts";
import type { Api } from "../shared/http.ts";
import { at, listAt, textAt } from "../shared/json.ts";
import { UpstreamError } from "../shared/outcome.ts";
import type { Found } from "../provider.ts";

/** Identifies a create: its callback URL, or the seed that was derived for it. */
export type Mark = { callbackUrl?: string; seedName?: string; seed?: number };

const MAX_PAGES = 10;
/** The allowed difference between Replicate's clock and this one. */
const SKEW_MS = 60_000;

/** Replicate does not promise that the list is complete: a prediction that it does not have may exist. */
export async function findPrediction(
  api: Api,
  mark: Mark,
  sentAt: Date,
  signal: AbortSignal,
): Promise<Found> {
  const earliest = addMs(sentAt, -SKEW_MS);
  let path = "/predictions";
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await api.call({ method: "GET", path }, signal);
    if (answer.status !== 200) throw new UpstreamError("a list", answer);
    const listed = listAt(answer.body, "results");
    const [id] = listed
      .filter((one) => isMarked(one, mark))
      .flatMap((one) => textAt(one, "id") ?? []);
    if (id !== undefined) return { kind: "found", upstreamId: id };
    const next = textAt(answer.body, "next");
    const oldest = new Date(textAt(listed.at(-1), "created_at") ?? 0);
    if (next === undefined || oldest < earliest) break;
    path = next;
  }
  return { kind: "unknown" };
}

function isMarked(prediction: unknown, { callbackUrl, seedName, seed }: Mark): boolean {
  if (callbackUrl !== undefined && at(prediction, "webhook") === callbackUrl) return true;
  return seedName !== undefined && seed !== undefined && at(prediction, "input", seedName) === seed;
}
