/** The names of modes, kinds, statuses and types in rows, ids and answers, and their numbers in the protos. */
import type { UnknownEnum } from "@bufbuild/protobuf";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";

type NameIn<Enum> = Lowercase<Exclude<keyof Enum & string, "UNSPECIFIED">>;

/** The names are those of the proto in lower case, without UNSPECIFIED. */
export function namesOf<Enum extends Readonly<Record<string, number>>>(values: Enum) {
  const { UNSPECIFIED: _, ...known } = values;
  const lower = Object.entries(known).map(([name, value]) => [name.toLowerCase(), value] as const);
  const byName = Object.fromEntries(lower) as Record<NameIn<Enum>, Enum[keyof Enum]>;
  const byValue = new Map(lower.map(([name, value]) => [value, name as NameIn<Enum>]));
  /** Undefined for none, and for a value without a name. */
  const nameOf = (value: Enum[keyof Enum] | UnknownEnum | undefined) => byValue.get(value ?? 0);
  /** Throws where there is no name, which the rules of requests refuse. */
  const requiredNameOf = (value: Enum[keyof Enum] | UnknownEnum) => {
    const name = nameOf(value);
    if (name === undefined)
      throw new Error(`a message has none of ${[...byValue.values()].join(", ")}`);
    return name;
  };
  return { nameOf, requiredNameOf, valueOf: (name: NameIn<Enum>) => byName[name] };
}

export type KindName = NameIn<typeof Kind>;

export const { requiredNameOf: kindName, valueOf: kindOf } = namesOf(Kind);

export function kindOfId(generationId: string): Kind {
  return generationId.startsWith("igen_") ? Kind.IMAGE : Kind.VIDEO;
}

export type ModeName = NameIn<typeof Mode>;

export const { requiredNameOf: modeName, valueOf: modeOf } = namesOf(Mode);

export type GenerationStatusName = NameIn<typeof Status>;
export type TerminalStatus = Exclude<GenerationStatusName, "pending" | "processing">;

export const { nameOf: generationStatusName, valueOf: generationStatusOf } = namesOf(Status);

export function isTerminal(name: GenerationStatusName | null | undefined): name is TerminalStatus {
  return name === "success" || name === "failed" || name === "canceled";
}

export type DeliveryStatusName = NameIn<typeof DeliveryStatus>;

export const { nameOf: deliveryStatusName, valueOf: deliveryStatusOf } = namesOf(DeliveryStatus);

export type TransactionTypeName = NameIn<typeof TransactionType>;

export const { nameOf: transactionTypeName, valueOf: transactionTypeOf } = namesOf(TransactionType);
