/** How the images of a fire ended whose worker was lost within their call, and why some could not be saved. */
import type { Fleet } from "../../support/compose/compose.ts";
import type { Row } from "./audit.ts";

/** How a worker's lines begin about an image call that another worker had begun. */
const CUT_OFF = "image call cut off";

type Line = { msg?: string; generation_id?: string; reason?: string; level?: string };

/** Lines for a person. */
export function summariseImages(rows: Iterable<Row>, fleet: Fleet): string[] {
  const images = [...rows].filter(({ kind, status }) => kind === "image" && status !== null);
  const failed = images.filter(({ error_code: code }) => code === "internal");
  const lines = fleet.of("generation").flatMap((replica) => replica.logs().split("\n").map(parsed));
  const cutOff = new Set(
    lines.flatMap(({ msg, generation_id: id }) => (id && msg?.startsWith(CUT_OFF) ? [id] : [])),
  );
  const share = cutOff.size === 0 ? 0 : (100 * failed.length) / cutOff.size;
  const byCause = Map.groupBy(failed, ({ id }) => causeOf(id, lines));
  return [
    `${images.length} images, ${cutOff.size} calls cut off, ${failed.length} ended internal (${share.toFixed(1)} %)`,
    ...[...byCause].map(([cause, { length }]) => `  ${length} × ${cause}`),
  ];
}

function causeOf(id: string, lines: readonly Line[]): string {
  const warnings = lines.filter((line) => line.generation_id === id && line.level === "warn");
  const { msg, reason } = warnings.at(-1) ?? {};
  return [msg, reason].filter(Boolean).join(": ") || "no warning";
}

/** A process that was killed may have been cut off in the middle of a line. */
function parsed(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return {};
  }
}
