/** Maps fal's error types to the provider interface. */
import { UPSTREAM_FAILURES } from "../shared/failures.ts";
import type { Answer } from "../shared/http.ts";
import { listAt, textAt } from "../shared/json.ts";
import { closed, refusalOfStatus, refused, type Refusal } from "../shared/outcome.ts";
import type { Failure } from "../provider.ts";

/** The types of errors that this service caused by canceling. */
const CLIENT_ABORTS = new Set(["client_cancelled", "client_disconnected"]);
/** Usually an undeclared safety refusal of the model. */
const NOTHING_MADE = "no_media_generated";
const UNREADABLE =
  /^(file_download_error|image_load_error|face_detection_error|unsupported_image_format)$/;
const UNSUITABLE = /^(file_too_large|image_too_\w+)$/;
const INPUT =
  /^(missing|value_error|one_of|bad_request|feature_not_supported|literal_error|enum|greater_than|less_than|sequence_too_|string_too_|unsupported_\w+_format)/;

/** Why a job failed; undefined if the body names no error. */
export function falFailure(body: unknown): Failure | "stopped" | undefined {
  const types = errorTypes(body);
  const some = (is: (type: string) => boolean) => types.some(is);
  if (types.includes("content_policy_violation")) return UPSTREAM_FAILURES.contentRejected;
  if (types.includes(NOTHING_MADE)) return UPSTREAM_FAILURES.outputRejected;
  if (some((type) => CLIENT_ABORTS.has(type))) return "stopped";
  if (some((type) => UNREADABLE.test(type))) return UPSTREAM_FAILURES.unreadablePicture;
  if (some((type) => UNSUITABLE.test(type))) return UPSTREAM_FAILURES.unsuitablePicture;
  if (types.includes("string_too_long")) return UPSTREAM_FAILURES.promptTooLong;
  if (some((type) => INPUT.test(type))) return UPSTREAM_FAILURES.invalidInput;
  return types.length === 0 ? undefined : UPSTREAM_FAILURES.failed;
}

/** The meaning of an unsuccessful answer to a submit. */
export function falRefusal(answer: Answer): Refusal {
  const detail = textAt(answer.body, "detail") ?? "";
  const { status } = answer;
  if (status === 403 && /balance|locked|credit|billing/i.test(detail)) {
    return closed("billing", "the upstream account is locked or out of credit");
  }
  if (status !== 400 && status !== 422) return refusalOfStatus(answer);
  const failure = falFailure(answer.body);
  return failure === undefined || failure === "stopped"
    ? refusalOfStatus(answer)
    : refused(failure);
}

/** True if fal itself reports the job as unknown; a proxy's 404 says nothing about the job. */
export function isGone({ status, body }: Answer): boolean {
  return status === 404 && textAt(body, "detail") !== undefined;
}

/** Returns the error types of a body: a model's are in the list `detail`, a request's in `error_type`. */
function errorTypes(body: unknown): string[] {
  const ofModel = listAt(body, "detail").map((one) => textAt(one, "type"));
  return [...ofModel, textAt(body, "error_type")].filter((type) => type !== undefined);
}
