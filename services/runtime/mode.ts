/** The names of the two modes in rows, keys and URLs. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";

export type ModeName = "live" | "test";

export function modeName(mode: Mode): ModeName {
  return mode === Mode.LIVE ? "live" : "test";
}

export function modeOf(name: ModeName): Mode {
  return name === "live" ? Mode.LIVE : Mode.TEST;
}
