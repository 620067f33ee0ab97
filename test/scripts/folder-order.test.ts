/** The order of folders in oxlint.config.ts, on planted files: `npm run check` has the real ones. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const REFUSED: Record<string, string> = {
  "services/ops/session/a-later-folder.ts": 'export type { Run } from "../commands/table.ts";',
  "services/ops/session/the-part-itself.ts": 'export { main } from "../main.ts";',
  "services/ops/session/dynamic.ts": 'export const load = () => import("../commands/table.ts");',
  "services/ops/commands/another-service.ts": 'export * from "../../billing/domain/hold.ts";',
  "services/generation/worker/rpc.ts": 'export * from "../rpc/get.ts";',
  "services/billing/domain/package.ts": 'export { readFileSync } from "node:fs";',
  "services/billing/unknown/folder.ts": 'export { join } from "node:path";',
  "clients/dashboard/src/data/alias.ts": 'export { abort } from "#runtime/abort.ts";',
  "clients/dashboard/src/pages/sign-in/page.tsx": 'export * from "../profile/profile.tsx";',
};

const ALLOWED: Record<string, string> = {
  "services/ops/commands/allowed.ts":
    'export * from "../session/a.ts";\nexport * from "./b.ts";\nexport * from "#gen/c.ts";',
  "services/billing/domain/allowed.ts": 'export * from "#runtime/clock.ts";',
  "services/standalone/start.ts": 'export * from "../billing/service.ts";',
};

it("refuses each import against the order, and no other", async () => {
  await using root = await temporaryFolder();
  for (const [path, source] of Object.entries({ ...REFUSED, ...ALLOWED })) {
    mkdirSync(join(root.path, dirname(path)), { recursive: true });
    writeFileSync(join(root.path, path), `${source}\n`);
  }
  cpSync("oxlint.config.ts", join(root.path, "oxlint.config.ts"));
  symlinkSync(resolve("node_modules"), join(root.path, "node_modules"));
  const oxlint = [resolve("node_modules/oxlint/bin/oxlint"), "-f", "unix", "services", "clients"];
  const { stdout } = spawnSync(process.execPath, oxlint, { cwd: root.path, encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line.includes("no-restricted-imports"));
  expect(lines.map((line) => line.slice(0, line.indexOf(":"))).sort()).toEqual(
    Object.keys(REFUSED).sort(),
  );
});
