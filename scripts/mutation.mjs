/**
 * `npm run test:mutation -- GLOB`: changes the code of GLOB in a copy of the tree, one change at a time, and expects a
 * test of the same service to fail for each. Without GLOB: all GUARDS. SQL and what other processes run stay as they are.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installIn } from "./test-tools.mjs";

const TOOLS = new URL("../test/mutation/", import.meta.url);

/** Where a lost guard costs money or access. */
const GUARDS = [
  "services/billing/{domain,rpc,store}/**/*.ts",
  "services/generation/{domain,store}/**/*.ts",
  "services/gateway/domain/**/*.ts",
  "services/gateway/edge/http/authenticate.ts",
  "services/gateway/dashboard/{members,session,sign-in}/**/*.ts",
  "services/runtime/rpc/server/access.ts",
  "services/runtime/rpc/service-*.ts",
  "services/delivery/egress/**/*.ts",
  "services/delivery/media/provenance.ts",
];

const [glob] = process.argv.slice(2);
const mutate = glob === undefined ? GUARDS : [glob];
const testFiles = mutate.map((pattern) => `test/${pattern.split("/")[1]}/**/*.test.ts`);

process.stdout.write("Installing Stryker, if it is not there.\n");
await installIn(fileURLToPath(TOOLS));
const core = new URL("node_modules/@stryker-mutator/core/dist/src/index.js", TOOLS);
const { Stryker } = await import(core.href);
// Random tests as short as they can be: they run for each change.
Object.assign(process.env, { LEDGER_SECONDS: "1", FC_RUNS: "10" });
const results = await new Stryker({
  mutate,
  testFiles,
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { pool: "forks" },
  // Each runner has its own Postgres and NATS.
  concurrency: 2,
  dryRunTimeoutMinutes: 20,
  reporters: ["clear-text", "progress"],
  clearTextReporter: { reportTests: false },
  ignorePatterns: [".cache", ".data", "{clients,test}/**/node_modules"],
  tempDirName: join(tmpdir(), "media-mutation"),
  cleanTempDir: "always",
}).runMutationTest();
if (results.some(({ status }) => status === "Survived" || status === "NoCoverage"))
  process.exitCode = 1;
