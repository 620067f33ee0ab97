/** Reads the validation rules of a proto field as plain data. */
import {
  getOption,
  hasOption,
  ScalarType,
  type DescField,
  type DescMessage,
} from "@bufbuild/protobuf";
import { isReflectList, isReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import {
  field as fieldOption,
  FieldRulesSchema,
  type FieldRules,
} from "#gen/proto/buf/validate/validate_pb.ts";

/** Every rule that the generators support; they fail for any other. */
export type Rules = Partial<{
  required: boolean;
  lt: number | bigint;
  lte: number | bigint;
  gt: number | bigint;
  gte: number | bigint;
  minLen: bigint;
  maxLen: bigint;
  pattern: string;
  definedOnly: boolean;
  notIn: number[];
  minItems: bigint;
  maxItems: bigint;
  items: Rules;
  minPairs: bigint;
  maxPairs: bigint;
  keys: Rules;
  values: Rules;
}>;

export function rulesOf(field: DescField): Rules {
  return hasOption(field, fieldOption) ? setRules(getOption(field, fieldOption)) : {};
}

function setRules(rules: FieldRules): Rules {
  const outer = reflect(FieldRulesSchema, rules);
  const found: Record<string, unknown> = rules.required ? { required: true } : {};
  const type = FieldRulesSchema.oneofs.flatMap((oneof) => outer.oneofCase(oneof) ?? []).at(0);
  const inner = type && outer.get(type);
  if (!isReflectMessage(inner)) return found;
  for (const rule of inner.fields.filter((field) => inner.isSet(field))) {
    const value = inner.get(rule);
    if (isReflectList(value)) found[rule.localName] = [...value];
    else if (isReflectMessage(value)) found[rule.localName] = setRules(value.message as FieldRules);
    else found[rule.localName] = value;
  }
  return found;
}

/** The fields whose rules refuse their value in an empty message. */
export function faultsOfEmptyMessage(desc: DescMessage): string[] {
  return desc.fields.filter(isInvalidWhenEmpty).map(({ name }) => name);
}

function isInvalidWhenEmpty(field: DescField): boolean {
  const rules = rulesOf(field);
  if (rules.required) return true;
  if ((rules.minItems ?? rules.minPairs ?? 0n) > 0n) return true;
  if (field.presence === FeatureSet_FieldPresence.EXPLICIT) return false;
  if (rules.notIn?.includes(0)) return true;
  if (field.scalar === ScalarType.INT32 || field.scalar === ScalarType.INT64) {
    const { gte = -1, gt = -1, lte = 1, lt = 1 } = rules;
    return gte > 0 || gt >= 0 || lte < 0 || lt <= 0;
  }
  const { minLen = 0n, pattern = "" } = rules;
  return minLen > 0n || !new RegExp(pattern, "u").test("");
}
