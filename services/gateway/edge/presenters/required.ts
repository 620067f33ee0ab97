/** Reads fields that proto cannot declare as always present. */
/** A message field that every response of the RPC has; throws when it is missing. */
export function required<T>(field: T | undefined): T {
  if (field === undefined) throw new Error("the RPC's response lacks a required field");
  return field;
}
