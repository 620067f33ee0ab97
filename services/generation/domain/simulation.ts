/** What `metadata.simulate` may ask of the simulator in test mode. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { ModeName } from "#vocabulary/names.ts";
import { FAILURE_CODES } from "./failures.ts";
import type { PlanFault } from "./plan.ts";

const FAILURES = FAILURE_CODES.map((code) => `fail:${code}`);
const INSTRUCTIONS: ReadonlySet<string> = new Set(["success", "hang", ...FAILURES]);
/** The seconds that the job takes: up to millions, to the millisecond. */
const SLOW = /^slow:\d{1,7}(?:\.\d{1,3})?$/;

/** The fault of an instruction that the simulator does not have. In live mode the key is a note like any other. */
export function simulationFaults(
  mode: ModeName,
  { simulate }: Readonly<Record<string, string>>,
): PlanFault[] {
  if (mode === "live" || simulate === undefined) return [];
  if (INSTRUCTIONS.has(simulate) || SLOW.test(simulate)) return [];
  return [
    {
      reason: ErrorReason.UNSUPPORTED_SIMULATION,
      field: "metadata.simulate",
      message: `metadata.simulate must be success, hang, slow:<seconds> of at most 7 digits and 3 decimals such as slow:2.5, or one of ${FAILURES.join(", ")}.`,
    },
  ];
}
