/** The names of the statuses of generations in rows, responses and lists, and which of them are terminal. */
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";

export type TerminalStatus = "success" | "failed" | "canceled";
export type GenerationStatusName = "pending" | "processing" | TerminalStatus;

const STATUS: Record<GenerationStatusName, Status> = {
  pending: Status.PENDING,
  processing: Status.PROCESSING,
  success: Status.SUCCESS,
  failed: Status.FAILED,
  canceled: Status.CANCELED,
};
export const GENERATION_STATUS_NAMES = Object.keys(STATUS) as GenerationStatusName[];
const NAMES = new Map(GENERATION_STATUS_NAMES.map((name) => [STATUS[name], name]));

/** Undefined for none, and for STATUS_UNSPECIFIED. */
export function generationStatusName(status: Status | undefined): GenerationStatusName | undefined {
  return status === undefined ? undefined : NAMES.get(status);
}

export function generationStatusOf(name: GenerationStatusName): Status {
  return STATUS[name];
}

/** Whether a generation of this status has ended. */
export function isTerminal(name: GenerationStatusName | null | undefined): name is TerminalStatus {
  return name === "success" || name === "failed" || name === "canceled";
}
