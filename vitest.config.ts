/** Tests share one Postgres and one NATS server; each file that wants a database gets one of its own. */
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";
import { enterOwnEnvironment } from "./test/support/own-environment.ts";

enterOwnEnvironment();

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Each file of tests has `it`, `expect` and the like without an import; what they share imports what it uses.
    globals: true,
    setupFiles: ["test/support/checked-answers.ts"],
    globalSetup: ["test/support/embedded.ts"],
    // The speed of machines differs by a factor of ten: only what would wait forever fails.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000, interval: 25 } },
    pool: "forks",
    // Whole services make much that lives shortly: a seventh less processor for the contract tests.
    execArgv: ["--max-semi-space-size=64"],
    // Twice the processors of a small machine, because many tests mostly wait.
    maxWorkers: 4,
    // Modules are loaded once per worker instead of once per file, which is a fifth of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Node loads modules itself, as it does those of the services.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
