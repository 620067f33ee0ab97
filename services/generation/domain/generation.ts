/** A generation: its row, its states, and the message that RPCs and events carry. */
import { create, fromJson, toJson, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  GenerationFinishedSchema,
  type GenerationFinished,
} from "#gen/proto/media/events/v1/events_pb.ts";
import {
  GenerationSchema,
  ImageInputSchema,
  OutputSchema,
  VideoInputSchema,
  type Generation,
  type Output,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import {
  generationStatusOf,
  type GenerationStatusName,
  type TerminalStatus,
  kindOf,
  type KindName,
  modeOf,
  type ModeName,
} from "#vocabulary/names.ts";
import { derivedId } from "#runtime/id.ts";
import { isVideo, type Input } from "./plan.ts";

/** What happens to a generation next (docs/architecture.md, The states of a generation). */
export type Step = "queue" | "submit" | "poll" | "settle" | "notify" | "stop" | "delete" | "done";

/** What names a row: ids are unique within an account. */
export type RowName = Pick<GenerationRow, "accountId" | "id">;

/** The name as one text, for maps and sets. */
export function rowKey({ accountId, id }: RowName): string {
  return `${accountId} ${id}`;
}

/** The fields that name it in a line of the log. */
export function logFields({ accountId, id }: RowName) {
  return { generation_id: id, account_id: accountId };
}

export type GenerationRow = {
  accountId: string;
  id: string;
  kind: KindName;
  mode: ModeName;
  model: string;
  input: JsonObject;
  defaulted: string[];
  tokens: bigint;
  attempt: number;
  step: Step;
  status: GenerationStatusName;
  progress: number;
  fence: bigint;
  leaseUntil: Date | null;
  nextStepAt: Date | null;
  failures: number;
  /** Why the step failed last. */
  lastError: string | null;
  upstream: string | null;
  submitToken: string | null;
  submittedAt: Date | null;
  credential: string | null;
  upstreamModel: string | null;
  upstreamId: string | null;
  goneSince: Date | null;
  settling: TerminalStatus | null;
  output: JsonObject[];
  errorCode: string | null;
  errorMessage: string | null;
  cancelRequestedAt: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  deadlineAt: Date | null;
  completedAt: Date | null;
  /** The API key that created it; null for the playground and internal callers. */
  keyId: string | null;
  /** The request that created it and its trace; null for internal callers and without tracing. */
  requestId: string | null;
  traceparent: string | null;
  deletedAt: Date | null;
  /** When the content of its input was deleted, because its account keeps it no longer. */
  erasedAt: Date | null;
  /** This worker has just committed the intent, and has sent nothing. */
  isUnsent?: boolean;
  /**
   * This worker has got the slot as the trial after a pause of the upstream, which lasts until then meanwhile; the epoch:
   * while its failures in a row are counted; null: while there were none.
   */
  trialUntil?: Date | null;
};

/** The row once its intent is written: an image is processing from then on. */
export function begun(row: GenerationRow): GenerationRow {
  const isShown = row.kind === "image" && row.status === "pending";
  return isShown ? { ...row, status: "processing", startedAt: row.submittedAt } : row;
}

export type Held = Pick<GenerationRow, "accountId" | "mode" | "id" | "attempt">;

/** What names the hold of a generation at billing. */
export function holdOf({ accountId, mode, id: generationId, attempt }: Held) {
  return { accountId, mode: modeOf(mode), generationId, attempt };
}

/** What clients see of a generation, but for its progress. */
export const VIEW_COLUMNS = [
  "accountId",
  "id",
  "kind",
  "mode",
  "model",
  "input",
  "tokens",
  "status",
  "output",
  "errorCode",
  "errorMessage",
  "createdAt",
  "startedAt",
  "completedAt",
  "keyId",
] as const satisfies (keyof GenerationRow)[];

export type GenerationView = Pick<GenerationRow, (typeof VIEW_COLUMNS)[number] | "progress">;

/** Rows share the JSON of their input, which is converted once in a process. */
const inputs = new WeakMap<JsonObject, Input>();

/** Inputs and outputs are stored as proto JSON with the field names of the public API. */
export function inputToJson(input: Input): JsonObject {
  const schema = isVideo(input) ? VideoInputSchema : ImageInputSchema;
  const json = toJson(schema, input, { useProtoFieldName: true }) as JsonObject;
  inputs.set(json, input);
  return json;
}

/** The same message each time: do not change it. */
export function inputFromJson(kind: KindName, json: JsonObject): Input {
  const known = inputs.get(json);
  if (known) return known;
  const input =
    kind === "video" ? fromJson(VideoInputSchema, json) : fromJson(ImageInputSchema, json);
  inputs.set(json, input);
  return input;
}

export function outputToJson(output: readonly Output[]): JsonObject[] {
  return output.map((one) => toJson(OutputSchema, one, { useProtoFieldName: true }) as JsonObject);
}

export function toGeneration(row: GenerationView): Generation {
  const input = inputFromJson(row.kind, row.input);
  const isRestored = row.status === "failed" || row.status === "canceled";
  return create(GenerationSchema, {
    id: row.id,
    accountId: row.accountId,
    mode: modeOf(row.mode),
    kind: kindOf(row.kind),
    status: generationStatusOf(row.status),
    model: row.model,
    credits: isRestored ? 0n : row.tokens,
    progress: row.progress,
    output: row.status === "success" ? row.output.map((one) => fromJson(OutputSchema, one)) : [],
    ...(row.status === "failed"
      ? { error: { code: row.errorCode ?? "internal", message: row.errorMessage ?? "" } }
      : {}),
    input: isVideo(input) ? { case: "video", value: input } : { case: "image", value: input },
    keyId: row.keyId ?? "",
    createdAt: timestampFromDate(row.createdAt),
    ...(row.startedAt ? { startedAt: timestampFromDate(row.startedAt) } : {}),
    ...(row.completedAt ? { completedAt: timestampFromDate(row.completedAt) } : {}),
  });
}

/** The step after delivery has the end: `stop` if an upstream job or stored outputs may be left that nobody needs. */
export function stepAfterNotify(
  row: Pick<GenerationRow, "submitToken" | "status">,
  status = row.status,
): "stop" | "done" {
  return status !== "success" && row.submitToken !== null ? "stop" : "done";
}

/** Derived, so that every repetition has the same one (docs/architecture.md, invariant 8). */
function eventIdOf({ accountId, id, status }: GenerationRow): string {
  return derivedId("evt", [accountId, id, status]);
}

/** The end with the whole generation, for AcceptEnd. */
export function finishedGeneration(row: GenerationRow): GenerationFinished {
  const eventId = eventIdOf(row);
  return create(GenerationFinishedSchema, { eventId, generation: toGeneration(row) });
}

/** The same without content, because the stream may keep it longer than the generation. */
export function finishedEvent(row: GenerationRow): GenerationFinished {
  const { id, accountId, mode, kind, status } = toGeneration(row);
  const generation = { id, accountId, mode, kind, status };
  return create(GenerationFinishedSchema, { eventId: eventIdOf(row), generation });
}
