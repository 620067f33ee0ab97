/** Reads options of RPCs. */
import { getOption, type DescMethod } from "@bufbuild/protobuf";
import type { GenExtension } from "@bufbuild/protobuf/codegenv2";
import type { MethodOptions } from "@bufbuild/protobuf/wkt";

/** Cached, because reading an option decodes it, which costs more than the rest of a call's overhead. */
export function methodOption<T>(option: GenExtension<MethodOptions, T>): (method: DescMethod) => T {
  const known = new WeakMap<DescMethod, T>();
  return (method) => {
    const before = known.get(method);
    if (before !== undefined) return before;
    const value = getOption(method, option);
    known.set(method, value);
    return value;
  };
}
