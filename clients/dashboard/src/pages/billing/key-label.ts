/** What a charge or a group of usage says of its API key. */

type Key = { key_id?: string; key_name?: string };

/** The key's name; its id where there is none. */
export function keyLabel({ key_id: id, key_name: name }: Key): string {
  return name ?? id ?? "Playground";
}
