/** Reads the outcome of a job with fal's status COMPLETED, which failed jobs have too. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import type { Answer, Api } from "../shared/http.ts";
import { at, listAt, textAt } from "../shared/json.ts";
import { sourceAt, UpstreamError } from "../shared/outcome.ts";
import type { Failure, Polled } from "../provider.ts";
import { falFailure, isGone } from "./errors.ts";

const POLL_AFTER_MS = 2_000;
const IN_PROGRESS = /still in progress/i;

/** `status` is the body of the COMPLETED status. */
export async function finishedJob(
  api: Api,
  upstreamId: string,
  status: unknown,
  signal: AbortSignal,
): Promise<Polled> {
  const failure = falFailure(status);
  if (failure !== undefined) return ended(failure);
  const answer = await api.call({ method: "GET", path: `/${upstreamId}` }, signal);
  if (isGone(answer)) return { kind: "gone" };
  if (answer.status >= 300) return failedResult(answer, hasError(status));
  if (hasError(status)) return ended(UPSTREAM_FAILURES.failed);
  if (isWithheld(answer.body)) return ended(UPSTREAM_FAILURES.outputRejected);
  const urls = outputUrls(answer.body);
  if (urls.length === 0) return ended(UPSTREAM_FAILURES.failed);
  return { kind: "succeeded", sources: urls.map((url) => sourceAt(api, url)) };
}

/** Maps an unsuccessful result. Throws if it is not about the model, because the query itself then failed. */
function failedResult(answer: Answer, isFailed: boolean): Polled {
  if (IN_PROGRESS.test(textAt(answer.body, "detail") ?? "")) {
    return { kind: "running", pollAfterMs: POLL_AFTER_MS };
  }
  const failure = falFailure(answer.body);
  if (failure !== undefined) return ended(failure);
  if (answer.status === 400 || answer.status === 422) return ended(UPSTREAM_FAILURES.invalidInput);
  if (isFailed) return ended(UPSTREAM_FAILURES.failed);
  throw new UpstreamError("a request for a result", answer);
}

function ended(failure: Failure | "stopped"): Polled {
  return failure === "stopped" ? { kind: "stopped" } : { kind: "failed", failure };
}

function hasError(status: unknown): boolean {
  const error = at(status, "error");
  return error !== undefined && error !== null && error !== "";
}

/** The names that fal's models use for a file or a list of files. */
const NAMES = ["video", "videos", "image", "images"];

/** Returns the URLs of the files under the first name that has any; files under other names are extras, e.g. the last frame. */
export function outputUrls(body: unknown): string[] {
  const named = NAMES.map((name) => [at(body, name)].flat());
  const urls = named.map((files) => files.flatMap((file) => textAt(file, "url") ?? []));
  return urls.find(({ length }) => length > 0) ?? [];
}

/** True if the model's own check withheld a picture; the model then returns a black one. */
export function isWithheld(body: unknown): boolean {
  return listAt(body, "has_nsfw_concepts").includes(true);
}
