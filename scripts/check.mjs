/** `npm run check`: runs all static checks and prints one line for each. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate, GENERATED } from "./gen.mjs";
import { checkIntegrity } from "./lockfile-integrity.mjs";
import { checkMigrations } from "./migrations.mjs";
import { checkDocument, checkProtos } from "./release-specs.mjs";
import { runChild } from "./run-child.mjs";
import { checkThirdParty } from "./third-party.mjs";

/**
 * By its path: the compilers of other versions, for tests and for tools that read types, have a program of the same name.
 * In several threads each would work out the types that they share, which takes twice the processor.
 */
const TSC = [process.execPath, "node_modules/typescript-7/bin/tsc", "--singleThreaded"];

const CHECKS = [
  ["format", "oxfmt", "--check", "."],
  ["lint", "oxlint", "--deny-warnings"],
  ["types", ...TSC, "-p", "."],
  ["types of the dashboard", ...TSC, "-p", "clients/dashboard"],
  ["unused code", "knip"],
  [
    "openapi lint",
    "redocly",
    "lint",
    "openapi/media.yaml",
    "openapi/dashboard.yaml",
    "openapi/openai.yaml",
  ],
  ["proto lint", "buf", "lint"],
  ["proto format", "buf", "format", "--diff", "--exit-code"],
];

let failed = 0;

async function report(name, check) {
  const started = Date.now();
  const { ok, output } = await check().catch(({ stack }) => ({ ok: false, output: stack }));
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${ok ? "ok  " : "FAIL"} ${name} (${seconds} s)\n`);
  if (ok) return;
  failed += 1;
  process.stdout.write(`${output.trim()}\n`);
}

/** Whether the committed files are what the specs generate now. */
async function checkGenerated() {
  const fresh = mkdtempSync(join(tmpdir(), "media-gen-"));
  try {
    const generated = await generate(fresh);
    if (!generated.ok) return generated;
    for (const path of GENERATED) {
      const same = await runChild("diff", ["--recursive", "--brief", join(fresh, path), path]);
      if (!same.ok) return same;
    }
    return { ok: true, output: "" };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

for (const [name, command, ...args] of CHECKS) await report(name, () => runChild(command, args));
await report("openapi compatibility", async () => checkDocument("."));
await report("proto compatibility", () => checkProtos("."));
await report("migrations", () => checkMigrations("."));
await report("drift of generated files", checkGenerated);
await report("integrity of dependencies", async () => checkIntegrity());
await report("licences of dependencies", async () => checkThirdParty());
if (failed > 0) process.exitCode = 1;
