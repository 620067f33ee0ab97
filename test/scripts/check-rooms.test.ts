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

  it("names a type import of a folder that comes later", () => {
    const source = 'import type { Run } from "../commands/key.ts";\nexport type Of = Run;\n';
    expect(checkCopy({ "services/ops/session/planted.ts": source })).toMatchObject({
      status: 1,
      stdout:
        "services/ops/session/planted.ts imports services/ops/commands/key.ts: session comes before commands in the order of services/ops.\n",
    });
  });

  it("names a dynamic import of another service", () => {
    const source = 'export const load = () => import("../../billing/domain/hold.ts");\n';
    const hold = "export {};\n";
    const planted = {
      "services/ops/session/planted.ts": source,
      "services/billing/domain/hold.ts": hold,
    };
    expect(checkCopy(planted)).toMatchObject({
      status: 1,
      stdout:
        "services/ops/session/planted.ts imports services/billing/domain/hold.ts: services/ops may not use services/billing.\n",
    });
  });

  it("names an import of a service by a client, by its alias", () => {
    const source = 'export { abort } from "#runtime/abort.ts";\n';
    expect(checkCopy({ "clients/dashboard/src/data/planted.ts": source })).toMatchObject({
      status: 1,
      stdout:
        "clients/dashboard/src/data/planted.ts imports services/runtime/abort.ts: clients/dashboard/src may not use services/runtime.\n",
    });
  });

  it("names a package that domain/ imports", () => {
    const source = 'import { readFileSync } from "node:fs";\nexport { readFileSync };\n';
    expect(checkCopy({ "services/billing/domain/planted.ts": source })).toMatchObject({
      status: 1,
      stdout:
        "services/billing/domain/planted.ts imports node:fs: domain/ is pure: it imports its own files, gen/ and what PURE lists.\n",
    });
  });

  it("names the imports of a circle between folders whose order is not listed", () => {
    const pages = "clients/dashboard/src/pages";
    const { status, stdout } = checkCopy({
      [`${pages}/keys/planted.ts`]: 'export * from "../members/planted.ts";\n',
      [`${pages}/members/planted.ts`]: 'export type { Key } from "../keys/planted.ts";\n',
    });
    expect(status).toBe(1);
    expect(stdout).toContain("A circle between folders:\n");
    expect(stdout).toContain(`${pages}/keys/planted.ts imports ${pages}/members/planted.ts`);
    expect(stdout).toContain(`${pages}/members/planted.ts imports ${pages}/keys/planted.ts`);
  });
});
