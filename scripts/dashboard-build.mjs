/** Builds the dashboard if its sources or its packages have changed since the last build. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf } from "./built-from.mjs";
import { firstAndLastLines, runChild } from "./run-child.mjs";

const WEB = "clients/dashboard";

export const DASHBOARD = {
  entry: `${WEB}/index.html`,
  stamp: `${WEB}/dist/.built-from`,
  files: [
    "package-lock.json",
    "gen/openapi/dashboard-operations.ts",
    "gen/openapi/limits.ts",
    "clients/samples/sample-languages.ts",
  ],
  folders: [WEB],
  isSource: (path) => !path.startsWith(join(WEB, "dist")),
};

/**
 * Builds it with the given Node. Throws an error with the last lines of Vite's output.
 * @param {{ root: string, node: string, env: NodeJS.ProcessEnv }} options
 */
export async function buildDashboard({ root, node, env }) {
  const hash = hashOf(root, DASHBOARD);
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--config", join(root, WEB, "vite.config.ts"), "--logLevel", "warn"];
  // A test that sets up would otherwise build React's development version, which is larger and slower.
  const production = { ...env, NODE_ENV: "production" };
  const { ok, output } = await runChild(node, args, { cwd: root, env: production });
  if (!ok) throw new Error(`The dashboard could not be built:\n${firstAndLastLines(output)}`);
  writeFileSync(join(root, DASHBOARD.stamp), hash);
}
