/** A package of `clients/`, packed from its sources and installed into projects of its users. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { isBuilt } from "../../../scripts/built-from.mjs";
import { CLIENTS } from "../../../scripts/client-packages.mjs";
import { temporaryFolder } from "../../support/temporary-folder.ts";

export const run = promisify(execFile);

const BIN = dirname(process.execPath);
const env = { ...process.env, PATH: `${BIN}:${process.env["PATH"]}` };

/** The project's own Node, and where there is one that of the machine. */
export const NODES = [process.execPath, "/usr/bin/node"].filter((path) => existsSync(path));

/** What the package is built from, the other packages in `clients/` that it may bundle included. */
async function sourcesIn(folder: string, client: string): Promise<string> {
  for (const name of ["package.json", "tsconfig.json", "gen/openapi"]) {
    await cp(name, join(folder, name), { recursive: true });
  }
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  const isBuilt = (path: string) => /^clients\/[\w-]+\/(dist|reference)$/.test(path);
  for (const path of new Set(["clients/typescript", client])) {
    await cp(path, join(folder, path), { recursive: true, filter: (each) => !isBuilt(each) });
  }
  return join(folder, client);
}

/** The tarball that `npm pack` makes of the package, in `folder`: that of the set-up, unless a source has changed since. */
export async function packInto(folder: string, client = "clients/typescript"): Promise<string> {
  if (isBuilt(resolve("."), CLIENTS)) {
    const { name, version } = JSON.parse(await readFile(join(client, "package.json"), "utf8")) as {
      name: string;
      version: string;
    };
    const file = `${name}-${version}.tgz`;
    await cp(join("clients/packages", file), join(folder, file));
    return join(folder, file);
  }
  // npm builds where it packs, and the folder of the project may have a build of its user.
  await using copy = await temporaryFolder();
  const cwd = await sourcesIn(copy.path, client);
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd, env });
  const [tarball = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  return join(folder, tarball);
}

/** A new project at `path` with these files and the package, as npm leaves it there. */
export async function installInto(
  path: string,
  tarball: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const { name } = JSON.parse(
    (await run("tar", ["-xzOf", tarball, "package/package.json"])).stdout,
  ) as { name: string };
  const installed = join(path, "node_modules", name);
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
  for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
}
