/** Lists the optional fields that an adapter carries, each where a condition holds. */
import type { Taken, TakenFields } from "../../domain/parameters.ts";

/** `true`: with all its values; `false`: not at all. */
export function carried(fields: Readonly<Record<string, Taken | boolean>>): TakenFields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, taken]) =>
      taken === false ? [] : [[field, taken === true ? {} : taken]],
    ),
  );
}
