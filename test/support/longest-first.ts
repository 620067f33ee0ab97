/** Runs the files that take longest first, so that all workers end at about the same time. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those of more than ten seconds, in this order. */
const LONGEST = [
  "test/clients/dashboard/press-everything.test.ts",
  "test/clients/dashboard/dashboard.test.ts",
  "test/e2e/main-job.test.ts",
  "test/contract/proto/contract.test.ts",
  "test/contract/openapi/contract.test.ts",
  "test/crash/kill-nine.test.ts",
  "test/runtime/events/cluster.test.ts",
  "test/standalone/processes.test.ts",
  "test/delivery/copy/crash.test.ts",
  "test/clients/typescript/generate-command.test.ts",
  "test/crash/kill-workers.test.ts",
  "test/clients/typescript/client.test.ts",
  "test/clients/python/client.test.ts",
  "test/e2e/failover.test.ts",
  "test/runtime/postgres/outage.test.ts",
  "test/delivery/storage/object-store.test.ts",
  "test/runtime/events/sign-in.test.ts",
  "test/gateway/edge/http/load-limit.test.ts",
  "test/contract/openapi/random.test.ts",
  "test/billing/ledger-model.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = (name: string) => (file: TestSpecification) => file.moduleId.endsWith(name);
    const first = LONGEST.flatMap((name) => sorted.filter(isLongest(name)));
    return [...first, ...sorted.filter((file) => !first.includes(file))];
  }
}
