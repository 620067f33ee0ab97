/** Runs the files that take longest first, so that all workers end at about the same time. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those of more than 10 seconds that else would run among the last. */
const LONGEST = [
  "test/clients/dashboard/dashboard.test.ts",
  "test/delivery/media/decoder.test.ts",
  "test/docs/separate-processes.test.ts",
  "test/clients/typescript/command-line.test.ts",
  "test/contract/openapi/contract.test.ts",
  "test/gateway/docs/guides.test.ts",
  "test/contract/cost/requests.test.ts",
  "test/gateway/edge/mcp/tools.test.ts",
  "test/clients/ai-sdk/provider.test.ts",
  "test/contract/openapi/random.test.ts",
  "test/gateway/edge/http/public-server.test.ts",
  "test/runtime/rpc/client/lost-replica.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = (name: string) => (file: TestSpecification) => file.moduleId.endsWith(name);
    const first = LONGEST.flatMap((name) => sorted.filter(isLongest(name)));
    return [...first, ...sorted.filter((file) => !first.includes(file))];
  }
}
