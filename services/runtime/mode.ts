/** The names that rows, keys and URLs use for the two modes. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";

export type ModeName = "live" | "test";

export function modeName(mode: Mode): ModeName {
  return mode === Mode.LIVE ? "live" : "test";
}

export function modeOf(name: ModeName): Mode {
  return name === "live" ? Mode.LIVE : Mode.TEST;
}
