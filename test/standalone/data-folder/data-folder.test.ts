/** The data folder: its format, and its use by one process at a time. */
import { spawn } from "node:child_process";
import { mkdir, readdir, readlink, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openDataFolder } from "../../../services/standalone/data-folder/data-folder.ts";
import { readOrCreateSecret } from "../../../services/standalone/data-folder/secrets.ts";
import { StartError } from "../../../services/standalone/settings/start-error.ts";
import { startProcess } from "../../support/process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("the data folder", () => {
  it("is closed to other users, also where it was open, and inside too, but to the user of PostgreSQL", async () => {
    await using parent = await temporaryFolder(0o755);
    {
      await using first = await openDataFolder(parent.path);
      expect((await stat(first.path)).mode & 0o066).toBe(0);
    }
    for (const name of ["assets", "simulator", "postgres"]) {
      await mkdir(join(parent.path, name), { mode: 0o755 });
    }
    for (const name of ["service.log", "endpoints.json"]) {
      await writeFile(join(parent.path, name), "{}", { mode: 0o644 });
    }
    await using folder = await openDataFolder(parent.path);
    const modeOf = async (name: string) => (await stat(join(folder.path, name))).mode & 0o777;
    for (const name of ["assets", "simulator"]) expect(await modeOf(name)).toBe(0o700);
    for (const name of ["service.log", "endpoints.json"]) expect(await modeOf(name)).toBe(0o600);
    expect(await modeOf("postgres")).toBe(0o711);
  });

  it("is free again after it was closed, and after its process was killed", async () => {
    await using parent = await temporaryFolder(0o700);
    {
      await using _first = await openDataFolder(parent.path);
    }
    const program = "test/standalone/data-folder/holding-process.ts";
    await using holder = startProcess(program, { FOLDER: parent.path });
    await holder.says("holds it");
    await expect(openDataFolder(parent.path)).rejects.toThrow(`in use by process ${holder.pid}:`);
    await holder.end("SIGKILL");
    await using second = await openDataFolder(parent.path);
    expect(second.path).toBe(parent.path);
  });

  it("is given to exactly one of many starts at the same time", async () => {
    await using parent = await temporaryFolder(0o700);
    for (let round = 0; round < 20; round++) {
      const starts = Array.from({ length: 8 }, () => openDataFolder(parent.path));
      const results = await Promise.allSettled(starts);
      const opened = results.filter((result) => result.status === "fulfilled");
      const refused = results.filter((result) => result.status === "rejected");
      expect(opened).toHaveLength(1);
      for (const { reason } of refused) expect(reason).toBeInstanceOf(StartError);
      for (const { value } of opened) await value[Symbol.asyncDispose]();
    }
  });

  it("is not taken from a process of the first release, which locks it in another way", async () => {
    await using parent = await temporaryFolder(0o700);
    const older = spawn("sh", ["-c", "read _", "services/standalone/main.ts"]);
    await writeFile(join(parent.path, "lock"), `${older.pid} 1234\n`);
    await expect(openDataFolder(parent.path)).rejects.toThrow(`in use by process ${older.pid}:`);
    older.stdin.end();
    await new Promise((resolve) => older.once("exit", resolve));
    await using folder = await openDataFolder(parent.path);
    expect(folder.path).toBe(parent.path);
  });

  it("keeps a secret that cannot be read", async () => {
    await using folder = await temporaryFolder(0o700);
    const path = join(folder.path, "secret");
    // Root may read every file, but a folder is none.
    await symlink(folder.path, path);
    await expect(readOrCreateSecret(path)).rejects.toThrow(/^EISDIR/);
    expect(await readlink(path)).toBe(folder.path);
  });

  it.each([
    ["another format", "version", "7\n", "has format 7 and this version reads format 2"],
    ["a folder with other files", "thesis.txt", "mine", "is not a data folder of this service"],
  ])("refuses %s, and leaves nothing in it", async (_what, name, text, refusal) => {
    await using parent = await temporaryFolder(0o700);
    await writeFile(join(parent.path, name), text);
    await expect(openDataFolder(parent.path)).rejects.toThrow(refusal);
    expect(await readdir(parent.path)).toEqual([name]);
  });
});
