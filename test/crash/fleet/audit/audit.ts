/** All checks of a fleet after a fire. */
import { checkEnds } from "./ends.ts";
import type { Check, Evidence } from "./evidence.ts";
import { checkLedger } from "./ledger.ts";
import { checkOutputs } from "./outputs.ts";
import { checkProcesses } from "./processes.ts";
import { checkUpstreamJobs } from "./upstream-jobs.ts";
import { checkWebhooks } from "./webhooks.ts";

const CHECKS: readonly Check[] = [
  checkEnds,
  checkLedger,
  checkUpstreamJobs,
  checkWebhooks,
  checkOutputs,
  checkProcesses,
];

/** What is wrong, in sentences. */
export async function audit(evidence: Evidence): Promise<string[]> {
  const found = await Promise.all(CHECKS.map(async (check) => check(evidence)));
  return found.flat();
}
