/** The name of a generation's file on the user's disk: the generation's id, and a number where it has several files. */
import type { Generation } from "../api/client.ts";

export function fileName({ id, output }: Pick<Generation, "id" | "output">, index: number): string {
  const ending = /\.\w+$/.exec(output[index]?.url ?? "")?.[0] ?? "";
  return output.length > 1 ? `${id}-${index + 1}${ending}` : `${id}${ending}`;
}
