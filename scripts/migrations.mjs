/** What migrations may do: a released one stays as it is, and a later one is safe beside replicas that serve. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "./run-child.mjs";

const SQUAWK = fileURLToPath(new URL("../node_modules/.bin/squawk", import.meta.url));
const RULES = fileURLToPath(new URL("../.squawk.toml", import.meta.url));
/** As `sha256sum` writes and checks it. */
const RELEASED = "services/released-migrations.sha256";
/** Begins the name of the migration that creates a service's schema, while nobody uses it. */
const FIRST = "0001_";

/** Compares the migrations below `root` with the released ones, and lints those that change a schema in use. */
export async function checkMigrations(root) {
  if (!existsSync(join(root, RELEASED))) return { ok: true, output: "" };
  const released = readFileSync(join(root, RELEASED), "utf8").split("\n").filter(Boolean);
  const changed = released
    .map((line) => line.split("  "))
    .filter(([sha256, path]) => !existsSync(join(root, path)) || hashOf(root, path) !== sha256);
  if (changed.length > 0) {
    const output = changed.map(
      ([, path]) => `${path} is released: correct it with a new migration`,
    );
    return { ok: false, output: output.join("\n") };
  }
  const later = migrationsOf(root).filter((path) => !basename(path).startsWith(FIRST));
  if (later.length === 0) return { ok: true, output: "" };
  return runChild(SQUAWK, ["--config", RULES, "--reporter", "gcc", ...later], { cwd: root });
}

/** Writes down the migrations below `root` as released. */
export function releaseMigrations(root) {
  const lines = migrationsOf(root).map((path) => `${hashOf(root, path)}  ${path}\n`);
  writeFileSync(join(root, RELEASED), lines.join(""));
  return { ok: true, output: "" };
}

function migrationsOf(root) {
  return readdirSync(join(root, "services"))
    .map((service) => `services/${service}/migrations`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .sort();
}

function hashOf(root, path) {
  return createHash("sha256")
    .update(readFileSync(join(root, path)))
    .digest("hex");
}
