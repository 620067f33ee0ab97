/** For each rule of a request's type and its nested types, requests in which only that one value is at the limit. */
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import {
  isReflectList,
  isReflectMap,
  isReflectMessage,
  pathToString,
  reflect,
  type Path,
  type ReflectMessage,
} from "@bufbuild/protobuf/reflect";
import { boundaryValues } from "./boundary-values.ts";
import { fullMessage, AWKWARD_KEY, TIMESTAMP_SECONDS } from "./messages.ts";
import { rulesOf, type Rules } from "./rules.ts";

export type RuleCase = {
  name: string;
  message: Message;
  /** The field that the error must name where the value is outside; undefined where it is inside. */
  fault: string | undefined;
};

/** One change of a message, and the path of the changed value. */
type Change = {
  name: string;
  path: Path;
  isInside: boolean;
  apply: (message: ReflectMessage) => void;
};

export function ruleCases(desc: DescMessage): RuleCase[] {
  return changesOf(desc, new Set()).map(({ name, path, isInside, apply }) => {
    const message = fullMessage(desc);
    apply(reflect(desc, message));
    const where = pathToString(path);
    return { name: `${where}: ${name}`, message, fault: isInside ? undefined : where };
  });
}

function changesOf(desc: DescMessage, above: ReadonlySet<string>): Change[] {
  if (above.has(desc.typeName)) return [];
  if (desc.typeName === TimestampSchema.typeName) return [];
  const within = new Set([...above, desc.typeName]);
  return desc.fields.flatMap((field) => {
    const rules = rulesOf(field);
    const own = [...absence(field, rules), ...values(field, rules), ...elementCounts(field, rules)];
    if (!field.message) return own;
    const inner = [...timestamps(field), ...changesOf(field.message, within)];
    return [...own, ...inner.map((change) => inField(field, change))];
  });
}

function absence(field: DescField, { required }: Rules): Change[] {
  if (!required) return [];
  return [
    { name: "absent", path: [field], isInside: false, apply: (message) => message.clear(field) },
  ];
}

/** The boundary values in the field itself, as a list's item, or as a map's key or value. */
function values(field: DescField, rules: Rules): Change[] {
  switch (field.fieldKind) {
    case "list":
      return boundaryValues(field, rules.items ?? {}).map(({ value, ...boundary }) => ({
        ...boundary,
        path: [field, { kind: "list_sub", index: 0 }],
        apply: (message) => listIn(message, field).set(0, value),
      }));
    case "map": {
      const inKeys = boundaryValues(field, rules.keys ?? {}, field.mapKey);
      const inValues = boundaryValues(field, rules.values ?? {});
      return [
        ...inKeys.map(({ value, name, isInside }): Change => {
          const key = value as string;
          return {
            name: `a key: ${name}`,
            isInside,
            path: [field, { kind: "map_sub", key }],
            apply: (message) => {
              const map = mapIn(message, field);
              map.set(key, [...map.values()][0]);
            },
          };
        }),
        ...inValues.map(({ value, name, isInside }): Change => {
          const key = AWKWARD_KEY;
          return {
            name: `a value: ${name}`,
            isInside,
            path: [field, { kind: "map_sub", key }],
            apply: (message) => void mapIn(message, field).set(key, value),
          };
        }),
      ];
    }
    default:
      return boundaryValues(field, rules).map(({ value, ...boundary }) => ({
        ...boundary,
        path: [field],
        apply: (message) => message.set(field, value),
      }));
  }
}

/** The boundary numbers of elements of a list or map. */
function elementCounts(field: DescField, rules: Rules): Change[] {
  const min = Number(rules.minItems ?? rules.minPairs ?? 0n);
  const max = Number(rules.maxItems ?? rules.maxPairs ?? 0n);
  const at = (count: number, isInside: boolean): Change => ({
    name: `${count} elements`,
    path: [field],
    isInside,
    apply: (message) => setCount(message, field, rules, count),
  });
  return [
    ...(min > 0 ? [at(min - 1, false), at(min, true)] : []),
    ...(max > 0 ? [at(max, true), at(max + 1, false)] : []),
  ];
}

function setCount(message: ReflectMessage, field: DescField, rules: Rules, count: number): void {
  if (field.fieldKind === "list") {
    const list = listIn(message, field);
    const first: unknown = list.get(0);
    list.clear();
    for (let index = 0; index < count; index += 1) list.add(first);
  } else if (field.fieldKind === "map") {
    const map = mapIn(message, field);
    const first: unknown = [...map.values()][0];
    map.clear();
    const key = (index: number) => `key-${index}`.slice(0, Number(rules.keys?.maxLen ?? 20n));
    for (let index = 0; index < count; index += 1) map.set(key(index), first);
  }
}

/** The boundary values of a Timestamp: the years 1 to 9999. */
function timestamps(field: DescField): Change[] {
  if (field.message?.typeName !== TimestampSchema.typeName) return [];
  const at = (part: "seconds" | "nanos", value: bigint | number, isInside: boolean): Change => ({
    name: `${part} of ${value}`,
    path: [],
    isInside,
    apply: (message) => message.set(TimestampSchema.field[part], value),
  });
  const { min, max } = TIMESTAMP_SECONDS;
  return [
    at("seconds", min - 1n, false),
    at("seconds", min, true),
    at("seconds", max, true),
    at("seconds", max + 1n, false),
    at("seconds", 2n ** 63n - 1n, false),
    at("nanos", -1, false),
    at("nanos", 1_000_000_000, false),
  ];
}

/** The change applied to the message in `field`, or to its first element. */
function inField(field: DescField, change: Change): Change {
  const sub: Path = field.fieldKind === "list" ? [{ kind: "list_sub", index: 0 }] : [];
  return {
    ...change,
    path: [field, ...sub, ...change.path],
    apply: (message) => change.apply(innerOf(message, field)),
  };
}

function innerOf(message: ReflectMessage, field: DescField): ReflectMessage {
  if (field.fieldKind === "message" && !message.isSet(field)) {
    message.set(field, reflect(field.message, fullMessage(field.message)));
  }
  const inner: unknown = message.get(field);
  const single = isReflectList(inner) ? inner.get(0) : inner;
  if (!isReflectMessage(single)) throw new Error(`no cases for the content of ${field.toString()}`);
  return single;
}

function listIn(message: ReflectMessage, field: DescField) {
  const list: unknown = message.get(field);
  if (!isReflectList(list)) throw new Error(`${field.toString()} is not a list`);
  return list;
}

function mapIn(message: ReflectMessage, field: DescField) {
  const map: unknown = message.get(field);
  if (!isReflectMap(map)) throw new Error(`${field.toString()} is not a map`);
  return map;
}
