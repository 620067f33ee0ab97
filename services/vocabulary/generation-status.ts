/** The names of the statuses of generations in rows, responses and lists, and which of them are terminal. */
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { namesOf } from "./names.ts";

export type TerminalStatus = "success" | "failed" | "canceled";
export type GenerationStatusName = "pending" | "processing" | TerminalStatus;

export const {
  nameOf: generationStatusName,
  valueOf: generationStatusOf,
  all: GENERATION_STATUS_NAMES,
} = namesOf<GenerationStatusName, Status>({
  pending: Status.PENDING,
  processing: Status.PROCESSING,
  success: Status.SUCCESS,
  failed: Status.FAILED,
  canceled: Status.CANCELED,
});

/** Whether a generation of this status has ended. */
export function isTerminal(name: GenerationStatusName | null | undefined): name is TerminalStatus {
  return name === "success" || name === "failed" || name === "canceled";
}
