/** The names of the two modes in rows, keys and URLs. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";

export type ModeName = "live" | "test";

/** Throws for MODE_UNSPECIFIED, which the rules of every request refuse. */
export function modeName(mode: Mode): ModeName {
  if (mode === Mode.LIVE) return "live";
  if (mode === Mode.TEST) return "test";
  throw new Error("a message has no mode");
}

export function modeOf(name: ModeName): Mode {
  return name === "live" ? Mode.LIVE : Mode.TEST;
}
