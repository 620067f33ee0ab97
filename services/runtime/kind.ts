/** The names of the two kinds of generations in rows, ids and URLs. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";

export type KindName = "video" | "image";

export function kindName(kind: Kind): KindName {
  return kind === Kind.IMAGE ? "image" : "video";
}

export function kindOf(name: KindName): Kind {
  return name === "image" ? Kind.IMAGE : Kind.VIDEO;
}

/** The kind that the id of a generation says. */
export function kindOfId(generationId: string): Kind {
  return generationId.startsWith("igen_") ? Kind.IMAGE : Kind.VIDEO;
}
