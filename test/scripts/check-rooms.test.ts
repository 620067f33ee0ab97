/** The check of the order of folders, on a copy of some parts with an import planted in it. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const PARTS = [
  "services/ops",
  "services/billing/domain",
  "services/runtime",
  "clients/dashboard/src",
];

/** What the check prints for a copy with these files in place of its own, or beside them. */
function checkCopy(planted: Record<string, string>): { status: number | null; stdout: string } {
  const root = mkdtempSync(join(tmpdir(), "check-rooms-"));
  try {
    for (const path of ["package.json", ...PARTS])
      cpSync(path, join(root, path), { recursive: true });
    for (const [path, source] of Object.entries(planted)) writeFileSync(join(root, path), source);
    execFileSync("git", ["init", "--quiet"], { cwd: root });
    execFileSync("git", ["add", "."], { cwd: root });
    const options = { cwd: root, encoding: "utf8" } as const;
    return spawnSync(process.execPath, [resolve("scripts/check-rooms.mjs")], options);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe("the check of the order of folders", () => {
  it("passes the tree as it is", () => {
    expect(checkCopy({})).toMatchObject({ status: 0, stdout: "" });
  });

  it("names each import against it, and the imports of a circle between folders whose order is not listed", () => {
    const pages = "clients/dashboard/src/pages";
    const { status, stdout } = checkCopy({
      // A type import of a folder that comes later.
      "services/ops/session/types.ts":
        'import type { Run } from "../commands/table.ts";\nexport type Of = Run;\n',
      // A dynamic import of another service.
      "services/ops/session/dynamic.ts":
        'export const load = () => import("../../billing/domain/hold.ts");\n',
      "services/billing/domain/hold.ts": "export {};\n",
      // A service imported by a client, by its alias.
      "clients/dashboard/src/data/alias.ts": 'export { abort } from "#runtime/abort.ts";\n',
      // A package in domain/.
      "services/billing/domain/reads.ts":
        'import { readFileSync } from "node:fs";\nexport { readFileSync };\n',
      [`${pages}/keys/planted.ts`]: 'export * from "../members/planted.ts";\n',
      [`${pages}/members/planted.ts`]: 'export type { Key } from "../keys/planted.ts";\n',
    });
    expect(status).toBe(1);
    for (const line of [
      "services/ops/session/types.ts imports services/ops/commands/table.ts: session comes before commands in the order of services/ops.",
      "services/ops/session/dynamic.ts imports services/billing/domain/hold.ts: services/ops may not use services/billing.",
      "clients/dashboard/src/data/alias.ts imports services/runtime/abort.ts: clients/dashboard/src may not use services/runtime.",
      "services/billing/domain/reads.ts imports node:fs: domain/ is pure: it imports its own files, gen/ and what PURE lists.",
      "A circle between folders:",
    ]) {
      expect(stdout.split("\n")).toContain(line);
    }
    expect(stdout).toContain(`${pages}/keys/planted.ts imports ${pages}/members/planted.ts`);
    expect(stdout).toContain(`${pages}/members/planted.ts imports ${pages}/keys/planted.ts`);
  });
});
