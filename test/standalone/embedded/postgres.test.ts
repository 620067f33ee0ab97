/** The embedded PostgreSQL: durable data, secrets, and what a killed run leaves. */
import { spawn, spawnSync } from "node:child_process";
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { pino } from "pino";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { planLaunch } from "../../../services/standalone/embedded/process.ts";
import {
  chooseServerUser,
  findPostgresBinaries,
  startPostgres,
} from "../../../services/standalone/embedded/postgres-server.ts";
import { isAlive } from "../../../services/standalone/data-folder/process-info.ts";
import { StartError } from "../../../services/standalone/settings/start-error.ts";
import { startKeptServer, untilGone } from "./kept-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const log = pino({ enabled: false });
const isRoot = process.geteuid?.() === 0;

describe("the embedded PostgreSQL", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let directory: string;
  let pidFile: string;

  beforeAll(async () => {
    folder = await temporaryFolder(0o755);
    directory = join(folder.path, "postgres");
    pidFile = join(directory, "data/postmaster.pid");
    await using server = await start();
    await query(server.superuserUrl, "create table kept (value text)");
    await query(server.superuserUrl, "insert into kept values ('still here')");
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const start = async (port?: number) =>
    startPostgres({ directory, port: port ?? (await freePort()), log });
  const serverPid = async () => Number.parseInt(await readFile(pidFile, "utf8"), 10);

  it("keeps its data from one start to the next, and leaves no process when it is stopped", async () => {
    let pid: number;
    {
      await using server = await start();
      pid = await serverPid();
      expect(isAlive(pid)).toBe(true);
      expect(await query(server.superuserUrl, "select value from kept")).toEqual([
        { value: "still here" },
      ]);
    }
    expect(isAlive(pid)).toBe(false);
  });

  it("refuses other passwords, writes every commit to the disk, and no statement to the log", async () => {
    const written: string[] = [];
    const recorder = pino({ level: "debug" }, { write: (line: string) => written.push(line) });
    {
      const options = { directory, port: await freePort(), log: recorder };
      await using server = await startPostgres(options);
      const guess = Object.assign(new URL(server.superuserUrl), { password: "guess" });
      await expect(query(guess.href, "select 1")).rejects.toThrow(/password authentication failed/);
      const { mode } = await stat(join(directory, "superuser-password"));
      expect(mode & 0o777).toBe(0o600);
      const safe =
        "select current_setting('fsync') || current_setting('synchronous_commit') as safe";
      expect(await query(server.superuserUrl, safe)).toEqual([{ safe: "onon" }]);
      const failing = query(server.superuserUrl, "select 'a secret'::int");
      await expect(failing).rejects.toThrow(/invalid input syntax.*a secret/);
    }
    expect(written.join("")).toContain("database system is ready");
    expect(written.join("")).not.toContain("secret");
  });

  it("refuses to start on a port that another program uses", async () => {
    const other = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    await expect(start(port)).rejects.toThrow(
      new StartError(`PostgreSQL cannot listen: port ${port} of 127.0.0.1 is taken.`),
    );
    await new Promise((resolve) => other.close(resolve));
    expect(await readFile(pidFile, "utf8").catch(() => "no server")).toBe("no server");
  });

  it("refuses a data folder of another version and names both", async () => {
    const file = join(directory, "data/PG_VERSION");
    const version = await readFile(file, "utf8");
    await writeFile(file, "17\n");
    await expect(start()).rejects.toThrow(/created by PostgreSQL 17, and this is PostgreSQL 18/);
    await writeFile(file, version);
  });

  it("stops the server of an earlier run that was killed, and finds its data", async () => {
    const path = await withoutDeathSignal(folder.path);
    const options = { directory, port: await freePort(), pidFile, path };
    const orphan = await startKeptServer("postgres", options);
    await orphan.killStarter();
    expect(isAlive(orphan.pid)).toBe(true);

    await using server = await start(options.port);
    expect(isAlive(orphan.pid)).toBe(false);
    expect(await query(server.superuserUrl, "select value from kept")).toHaveLength(1);
  });

  it.runIf(process.platform === "linux")("ends when its starter is killed", async () => {
    const kept = await startKeptServer("postgres", { directory, port: await freePort(), pidFile });
    await kept.killStarter();
    await untilGone(kept.pid);
    await using server = await start();
    expect(await query(server.superuserUrl, "select value from kept")).toHaveLength(1);
  });

  it("starts although a stale pid file names an unrelated process", async () => {
    const user = await chooseServerUser(join(directory, "data"));
    const unrelated = spawn("sleep", ["60"], { stdio: "ignore", ...user });
    const stale = [unrelated.pid, join(directory, "data"), 1, 1, "", "127.0.0.1", "1 1", ""];
    await writeFile(pidFile, stale.join("\n"));
    {
      await using server = await start();
      expect(await query(server.superuserUrl, "select value from kept")).toHaveLength(1);
    }
    expect(unrelated.exitCode).toBe(null);
    unrelated.kill();
  });

  it.runIf(isRoot)("starts as root in a private folder that no other user can enter", async () => {
    await using hidden = await temporaryFolder(0o700);
    await using server = await startPostgres({
      directory: join(hidden.path, "postgres"),
      port: await freePort(),
      log,
    });
    const [row] = await query(
      server.superuserUrl,
      "select current_setting('data_directory') as at",
    );
    expect(row).toEqual({ at: join(hidden.path, "postgres/data") });
  });

  it.runIf(isRoot)("has programs that find themselves in a checkout of root's own", async () => {
    await using hidden = await temporaryFolder(0o700);
    const { initdb } = await findPostgresBinaries();
    await symlink(dirname(initdb), join(hidden.path, "bin"));
    const user = await chooseServerUser(join(hidden.path, "data"));
    const file = join(hidden.path, "bin/initdb");
    const launch = planLaunch({ file, args: ["--version"], user, deathSignal: "KILL" });
    const { status, stderr } = spawnSync(launch.file, launch.args, { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });
});

/** The PATH of a setpriv that ignores the signal: the server outlives its starter, as on systems other than Linux. */
async function withoutDeathSignal(folder: string): Promise<string> {
  const path = join(folder, "programs");
  await mkdir(path);
  const script = `#!/bin/sh\nPATH='${process.env["PATH"]}'\nshift 2\nexec setpriv "$@"\n`;
  await writeFile(join(path, "setpriv"), script, { mode: 0o755 });
  return path;
}

async function query(url: string, text: string): Promise<object[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(text))];
  } finally {
    await sql.end();
  }
}
