/** For each rule in a request's type and the types within it, requests that are right but for that one value. */
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import {
  isReflectList,
  isReflectMap,
  isReflectMessage,
  pathToString,
  reflect,
} from "@bufbuild/protobuf/reflect";
import type { Path, ReflectMessage } from "@bufbuild/protobuf/reflect";
import { valueEdges } from "./edges.ts";
import { fullMessage, HARD_KEY, TIMESTAMP_SECONDS } from "./messages.ts";
import { rulesOf } from "./rules.ts";
import type { Rules } from "./rules.ts";

export type RuleCase = {
  name: string;
  message: Message;
  /** The field that must be named where the value is outside; undefined where it is allowed. */
  fault: string | undefined;
};

/** One change of a message: what it does, and the path of what is then at fault. */
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
    const own = [...absence(field, rules), ...values(field, rules), ...counts(field, rules)];
    if (!field.message) return own;
    const inner = [...timestamps(field), ...changesOf(field.message, within)];
    return [...own, ...inner.map((change) => below(field, change))];
  });
}

function absence(field: DescField, { required }: Rules): Change[] {
  if (!required) return [];
  return [
    { name: "left out", path: [field], isInside: false, apply: (message) => message.clear(field) },
  ];
}

/** A value at the edge: in the field itself, as a list's item, as a map's key or value. */
function values(field: DescField, rules: Rules): Change[] {
  switch (field.fieldKind) {
    case "list":
      return valueEdges(field, rules.items ?? {}).map(({ value, ...edge }) => ({
        ...edge,
        path: [field, { kind: "list_sub", index: 0 }],
        apply: (message) => listIn(message, field).set(0, value),
      }));
    case "map": {
      const inKeys = valueEdges(field, rules.keys ?? {}, field.mapKey);
      const inValues = valueEdges(field, rules.values ?? {});
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
          const key = HARD_KEY;
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
      return valueEdges(field, rules).map(({ value, ...edge }) => ({
        ...edge,
        path: [field],
        apply: (message) => message.set(field, value),
      }));
  }
}

/** How many elements a list or map may have. */
function counts(field: DescField, rules: Rules): Change[] {
  const least = Number(rules.minItems ?? rules.minPairs ?? 0n);
  const most = Number(rules.maxItems ?? rules.maxPairs ?? 0n);
  const at = (count: number, isInside: boolean): Change => ({
    name: `${count} elements`,
    path: [field],
    isInside,
    apply: (message) => setCount(message, field, rules, count),
  });
  return [
    ...(least > 0 ? [at(least - 1, false), at(least, true)] : []),
    ...(most > 0 ? [at(most, true), at(most + 1, false)] : []),
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

/** A Timestamp's own limits: the years 1 to 9999. */
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

/** The change, made to the message within `field`, or to its first element. */
function below(field: DescField, change: Change): Change {
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
  if (!isReflectMessage(single)) throw new Error(`no cases yet within ${field.toString()}`);
  return single;
}

function listIn(message: ReflectMessage, field: DescField) {
  const list: unknown = message.get(field);
  if (!isReflectList(list)) throw new Error(`${field.toString()} is no list`);
  return list;
}

function mapIn(message: ReflectMessage, field: DescField) {
  const map: unknown = message.get(field);
  if (!isReflectMap(map)) throw new Error(`${field.toString()} is no map`);
  return map;
}
