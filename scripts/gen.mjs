/** `npm run gen`: generates the types in gen/ from the protos and the OpenAPI documents. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Writes to `root`/gen. */
export function generate(root) {
  const steps = [
    ["buf", "generate", "--output", root],
    ...["media", "dashboard"].map((name) => [
      "openapi-typescript",
      `openapi/${name}.yaml`,
      "--default-non-nullable=false",
      "--output",
      join(root, `gen/openapi/${name}.ts`),
    ]),
  ];
  for (const [command, ...args] of steps) {
    const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
    if (status !== 0) return { ok: false, output: error?.message ?? `${stdout}${stderr}` };
  }
  return { ok: true, output: "" };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { ok, output } = generate(".");
  process.stderr.write(output);
  if (!ok) process.exitCode = 1;
}
