/** The names of modes, kinds, statuses and types in rows, ids and answers, and their numbers in the protos. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";

export function namesOf<Name extends string, Value extends number>(
  values: Readonly<Record<Name, Value>>,
) {
  const all: readonly Name[] = Object.keys(values) as Name[];
  const names = new Map<Value | undefined, Name>(all.map((name) => [values[name], name]));
  return {
    /** Undefined for none, and for a value without a name, such as UNSPECIFIED. */
    nameOf: (value: Value | undefined) => names.get(value),
    valueOf: (name: Name): Value => values[name],
    all,
  };
}

export type KindName = "video" | "image";

/** Throws for KIND_UNSPECIFIED, which the rules of every request refuse. */
export function kindName(kind: Kind): KindName {
  if (kind === Kind.VIDEO) return "video";
  if (kind === Kind.IMAGE) return "image";
  throw new Error("a message has no kind");
}

export function kindOf(name: KindName): Kind {
  return name === "image" ? Kind.IMAGE : Kind.VIDEO;
}

export function kindOfId(generationId: string): Kind {
  return generationId.startsWith("igen_") ? Kind.IMAGE : Kind.VIDEO;
}

export type ModeName = "live" | "test";

/** Throws for MODE_UNSPECIFIED, which the rules of every request refuse. */
export function modeName(mode: Mode): ModeName {
  if (mode === Mode.LIVE) return "live";
  if (mode === Mode.TEST) return "test";
  throw new Error("a message has no mode");
}

export function modeOf(name: ModeName): Mode {
  return name === "live" ? Mode.LIVE : Mode.TEST;
}

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

export function isTerminal(name: GenerationStatusName | null | undefined): name is TerminalStatus {
  return name === "success" || name === "failed" || name === "canceled";
}

export type DeliveryStatusName = "pending" | "delivered" | "exhausted" | "disabled";

export const { nameOf: deliveryStatusName, valueOf: deliveryStatusOf } = namesOf<
  DeliveryStatusName,
  DeliveryStatus
>({
  pending: DeliveryStatus.PENDING,
  delivered: DeliveryStatus.DELIVERED,
  exhausted: DeliveryStatus.EXHAUSTED,
  disabled: DeliveryStatus.DISABLED,
});

export type TransactionTypeName = "recharge" | "reserve" | "capture" | "release" | "adjustment";

export const { nameOf: transactionTypeName, valueOf: transactionTypeOf } = namesOf<
  TransactionTypeName,
  TransactionType
>({
  recharge: TransactionType.RECHARGE,
  reserve: TransactionType.RESERVE,
  capture: TransactionType.CAPTURE,
  release: TransactionType.RELEASE,
  adjustment: TransactionType.ADJUSTMENT,
});
