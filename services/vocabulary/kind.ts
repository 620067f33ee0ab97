/** The names of the two kinds of generations in rows, ids and URLs. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";

export type KindName = "video" | "image";

/** Throws for KIND_UNSPECIFIED, which the rules of every request refuse. */
export function kindName(kind: Kind): KindName {
  if (kind === Kind.VIDEO) return "video";
  if (kind === Kind.IMAGE) return "image";
  throw new Error("a message has no kind");
}

export function kindOf(name: KindName): Kind {
  return name === "image" ? Kind.IMAGE : Kind.VIDEO;
}

/** The kind that the id of a generation says. */
export function kindOfId(generationId: string): Kind {
  return generationId.startsWith("igen_") ? Kind.IMAGE : Kind.VIDEO;
}
