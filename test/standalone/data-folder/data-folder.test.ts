/** The data folder: its format, and its use by one process at a time. */
import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openDataFolder } from "../../../services/standalone/data-folder/data-folder.ts";
import { startTime } from "../../../services/standalone/data-folder/process-info.ts";
import { StartError } from "../../../services/standalone/settings/start-error.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("the data folder", () => {
  it("is created if it is missing, with its format number", async () => {
    await using parent = await temporaryFolder(0o700);
    const path = join(parent.path, "deep/inside");
    await using folder = await openDataFolder(path);
    expect(folder.path).toBe(path);
    expect(await readFile(join(path, "version"), "utf8")).toBe("2\n");
  });

  it("is closed to other users, also where it was open", async () => {
    await using parent = await temporaryFolder(0o755);
    await using folder = await openDataFolder(parent.path);
    expect((await stat(folder.path)).mode & 0o066).toBe(0);
  });

  it("is closed inside too, but to the user of PostgreSQL", async () => {
    await using parent = await temporaryFolder(0o755);
    {
      await using _first = await openDataFolder(parent.path);
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

  it("refuses a second start while the first one uses it, and names the process", async () => {
    await using parent = await temporaryFolder(0o700);
    await using first = await openDataFolder(parent.path);
    await expect(openDataFolder(first.path)).rejects.toThrow(
      new StartError(
        `The data folder ${first.path} is in use by process ${process.pid}: ` +
          "stop that process first, or choose another DATA_DIR.",
      ),
    );
  });

  it("is free again after it was closed, and contains only its format number", async () => {
    await using parent = await temporaryFolder(0o700);
    {
      await using _first = await openDataFolder(parent.path);
    }
    expect(await readdir(parent.path)).toEqual(["version"]);
    await using second = await openDataFolder(parent.path);
    expect(second.path).toBe(parent.path);
  });

  it("is taken over from a process that has ended", async () => {
    await using parent = await temporaryFolder(0o700);
    const ended = spawn("true");
    await new Promise((resolve) => ended.once("exit", resolve));
    await writeFile(join(parent.path, "lock"), `${ended.pid} 1\n`);
    await using folder = await openDataFolder(parent.path);
    expect(await readFile(join(folder.path, "lock"), "utf8")).toBe(
      `${process.pid} ${startTime(process.pid)}\n`,
    );
  });

  it("is taken over from an ended process whose id a later process has", async () => {
    await using parent = await temporaryFolder(0o700);
    await writeFile(join(parent.path, "lock"), `${process.pid} 1\n`);
    await using folder = await openDataFolder(parent.path);
    expect(folder.path).toBe(parent.path);
  });

  it("is given to exactly one of many starts that find a stale lock at the same time", async () => {
    await using parent = await temporaryFolder(0o700);
    for (let round = 0; round < 40; round++) {
      await writeFile(join(parent.path, "lock"), `${process.pid} 1\n`);
      const starts = Array.from({ length: 8 }, async (_, turn) => {
        for (let turns = 0; turns < turn * (round % 8); turns++) await nextTurn();
        return openDataFolder(parent.path);
      });
      const results = await Promise.allSettled(starts);
      const opened = results.filter((result) => result.status === "fulfilled");
      const refused = results.filter((result) => result.status === "rejected");
      expect(opened).toHaveLength(1);
      for (const { reason } of refused) expect(reason).toBeInstanceOf(StartError);
      for (const { value } of opened) await value[Symbol.asyncDispose]();
    }
  });

  it("refuses another format and releases its lock", async () => {
    await using parent = await temporaryFolder(0o700);
    await writeFile(join(parent.path, "version"), "7\n");
    await expect(openDataFolder(parent.path)).rejects.toThrow(
      /has format 7 and this version reads format 2/,
    );
    expect(await readdir(parent.path)).toEqual(["version"]);
  });

  it("refuses a folder with other files", async () => {
    await using parent = await temporaryFolder(0o700);
    await writeFile(join(parent.path, "thesis.txt"), "mine");
    await expect(openDataFolder(parent.path)).rejects.toThrow(
      /is not a data folder of this service/,
    );
    expect(await readdir(parent.path)).toEqual(["thesis.txt"]);
  });
});
