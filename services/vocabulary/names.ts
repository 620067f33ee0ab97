/** The two ways between the names of an enum's values and their numbers in the protos. */

export type Names<Name extends string, Value extends number> = {
  /** Undefined for none, and for a value without a name, such as UNSPECIFIED. */
  nameOf: (value: Value | undefined) => Name | undefined;
  valueOf: (name: Name) => Value;
  all: readonly Name[];
};

export function namesOf<Name extends string, Value extends number>(
  values: Readonly<Record<Name, Value>>,
): Names<Name, Value> {
  const all = Object.keys(values) as Name[];
  const names = new Map<Value | undefined, Name>(all.map((name) => [values[name], name]));
  return { nameOf: (value) => names.get(value), valueOf: (name) => values[name], all };
}
