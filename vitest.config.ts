/** Tests share one Postgres and one NATS server; each file that wants a database gets one of its own. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/checked-answers.ts"],
    globalSetup: ["test/support/parts.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
