/** Properties of generations, and how far limits of Tokens are used. */
import type { Generation, Schemas } from "../api/client.ts";

export const isFinished = ({ status }: Pick<Generation, "status">): boolean =>
  status === "success" || status === "failed" || status === "canceled";

export const isVideo = ({ id }: { id: string }): boolean => id.startsWith("vgen_");

export function fileName({ id, output }: Pick<Generation, "id" | "output">, index: number): string {
  const ending = /\.\w+$/.exec(output[index]?.url ?? "")?.[0] ?? "";
  return output.length > 1 ? `${id}-${index + 1}${ending}` : `${id}${ending}`;
}

/** What a request, a charge or a group of usage says of its API key. */
export function keyLabel({ key_id: id, key_name: name }: { key_id?: string; key_name?: string }) {
  return name || id || "Playground";
}

export type Limit = Schemas["AccountLimits"]["limits"][number];

export const isUsedUp = ({ used, tokens }: Limit): boolean => used >= tokens;
