/** Builds the dashboard if its sources or its packages have changed since the last build. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf, isBuiltFrom, sourcesIn } from "./built-from.mjs";
import { firstAndLastLines, runChild } from "./run-child.mjs";

const WEB = "clients/dashboard";
/** Files outside its folder that the dashboard is built from. */
const OUTSIDE_SOURCES = [
  "package-lock.json",
  "gen/openapi/dashboard-operations.ts",
  "gen/openapi/limits.ts",
  "clients/samples/sample-languages.ts",
];

/** Whether dist/ was built from the current sources; true if there is nothing to build. */
export function isDashboardBuilt(root) {
  if (!existsSync(join(root, WEB, "index.html"))) return true;
  return isBuiltFrom(stampOf(root), sourcesHash(root));
}

/**
 * Builds it with the given Node. Throws an error with the last lines of Vite's output.
 * @param {{ root: string, node: string, env: NodeJS.ProcessEnv }} options
 */
export async function buildDashboard({ root, node, env }) {
  const hash = sourcesHash(root);
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--config", join(root, WEB, "vite.config.ts"), "--logLevel", "warn"];
  // A test that sets up would otherwise build React's development version, which is larger and slower.
  const production = { ...env, NODE_ENV: "production" };
  const { ok, output } = await runChild(node, args, { cwd: root, env: production });
  if (!ok) throw new Error(`The dashboard could not be built:\n${firstAndLastLines(output)}`);
  writeFileSync(stampOf(root), hash);
}

function stampOf(root) {
  return join(root, WEB, "dist/.built-from");
}

function sourcesHash(root) {
  const files = sourcesIn(root, WEB, (path) => !path.startsWith(join(WEB, "dist")));
  return hashOf(root, [...OUTSIDE_SOURCES, ...files]);
}
