/** Runs the files that take longest first, so that all workers end at about the same time. */
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** In this order. */
const LONGEST = [
  "test/billing/ledger-model.test.ts",
  "test/crash/kill-nine.test.ts",
  "test/e2e/main-job.test.ts",
  "test/clients/dashboard/dashboard.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = (name: string) => (file: TestSpecification) => file.moduleId.endsWith(name);
    const first = LONGEST.flatMap((name) => sorted.filter(isLongest(name)));
    return [...first, ...sorted.filter((file) => !first.includes(file))];
  }
}
