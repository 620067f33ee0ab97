/** A package of `clients/`, as the set-up packed it, installed into projects of its users. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { isBuilt } from "../../../scripts/built-from.mjs";
import { CLIENTS } from "../../../scripts/client-packages.mjs";

export const run = promisify(execFile);

/** The project's own Node, and where there is one that of the machine. */
export const NODES = [process.execPath, "/usr/bin/node"].filter((path) => existsSync(path));

/** Installs it as npm does into the project at `path`. Returns the paths of its tarball and of what is installed. */
export async function installInto(path: string, client: string) {
  if (!isBuilt(CLIENTS))
    throw new Error("The clients have changed: pack them with node scripts/setup.mjs");
  const manifest = await readFile(join(client, "package.json"), "utf8");
  const { name, version } = JSON.parse(manifest) as Record<"name" | "version", string>;
  const tarball = resolve("clients/packages", `${name}-${version}.tgz`);
  const installed = join(path, "node_modules", name);
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  return { tarball, installed };
}
