/** The embedded PostgreSQL and NATS server: durable data, secrets, and what a killed run leaves. */
import { spawn } from "node:child_process";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import { connect } from "nats";
import { pino } from "pino";
import { connected } from "../../../services/ops/setup/provision.ts";
import { commandLine } from "../../../services/standalone/data-folder/data-folder.ts";
import { startNats } from "../../../services/standalone/embedded/nats-server.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import {
  chooseServerUser,
  startPostgres,
} from "../../../services/standalone/embedded/postgres-server.ts";
import { folderForTests, temporaryFolder } from "../../support/temporary-folder.ts";

const log = pino({ enabled: false });
const isRoot = process.geteuid?.() === 0;
const isAlive = (pid: number) => commandLine(pid) !== "";

const folder = folderForTests();
const directory = join(folder, "postgres");
const pidFile = join(directory, "data/postmaster.pid");
const start = async (port?: number, at = directory) =>
  startPostgres({ directory: at, port: port ?? (await freePort()), log });

const SERVERS = {
  PostgreSQL: {
    directory,
    pidFile,
    start: async (port: number) => {
      const { superuserUrl: url, ...server } = await start(port);
      return { url, ...server };
    },
    keep: async (url: string) => {
      await query(url, "create table kept (value text)");
      await query(url, "insert into kept values ('still here')");
    },
    kept: async (url: string) => (await query(url, "select value from kept"))[0]?.["value"],
    refusal: /password authentication failed/,
  },
  NATS: {
    directory: join(folder, "nats"),
    pidFile: join(folder, "nats/nats.pid"),
    start: (port: number) => startNats({ directory: join(folder, "nats"), port, log }),
    keep: async (url: string) => {
      await using client = await natsClient(url);
      const manager = await client.jetstreamManager();
      await manager.streams.add({ name: "KEPT", subjects: ["kept.>"] });
      await client.jetstream().publish("kept.one", "still here");
    },
    kept: async (url: string) => {
      await using client = await natsClient(url);
      const { streams } = await client.jetstreamManager();
      return (await streams.getMessage("KEPT", { seq: 1 })).string();
    },
    refusal: /AUTHORIZATION/i,
  },
};

// The user of PostgreSQL enters it.
beforeAll(() => chmod(folder, 0o755));

describe.each(["PostgreSQL", "NATS"] as const)("the embedded %s", (name) => {
  const { keep, kept, refusal, ...server } = SERVERS[name];
  const pidOf = async () => Number.parseInt(await readFile(server.pidFile, "utf8"), 10);

  /** The id of a server whose starter, a process of its own, was killed. */
  async function abandoned(port: number): Promise<number> {
    const args = ["test/standalone/embedded/keep-server.ts", name, server.directory, `${port}`];
    const starter = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(starter, "exit");
    const first = once(starter.stdout, "data");
    expect(String(await Promise.race([first, ended]))).toBe("ready\n");
    const pid = await pidOf();
    starter.kill("SIGKILL");
    await ended;
    return pid;
  }

  it("keeps its data from one start to the next, and leaves no process when it is stopped", async () => {
    const port = await freePort();
    let before: { url: string; pid: number };
    {
      await using running = await server.start(port);
      before = { url: running.url, pid: await pidOf() };
      await keep(running.url);
      expect(isAlive(before.pid)).toBe(true);
    }
    expect(isAlive(before.pid)).toBe(false);
    await using running = await server.start(port);
    expect(running.url).toBe(before.url);
    expect(await kept(running.url)).toBe("still here");
    const guess = Object.assign(new URL(running.url), { password: "guess" });
    await expect(kept(guess.href)).rejects.toThrow(refusal);
  });

  it.runIf(process.platform === "linux")("ends when its starter is killed", async () => {
    const pid = await abandoned(await freePort());
    await expect.poll(() => isAlive(pid)).toBe(false);
    await using running = await server.start(await freePort());
    expect(await kept(running.url)).toBe("still here");
  });
});

describe("the embedded PostgreSQL", () => {
  it("writes every commit to the disk, and no statement to the log", async () => {
    const written: string[] = [];
    const recorder = pino({ level: "debug" }, { write: (line: string) => written.push(line) });
    {
      const options = { directory, port: await freePort(), log: recorder };
      await using server = await startPostgres(options);
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

  it("refuses a data folder of another version and names both", async () => {
    const file = join(directory, "data/PG_VERSION");
    const version = await readFile(file, "utf8");
    await writeFile(file, "17\n");
    await expect(start()).rejects.toThrow(/created by PostgreSQL 17, and this is PostgreSQL 18/);
    await writeFile(file, version);
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
    const inside = join(hidden.path, "postgres");
    await using server = await start(undefined, inside);
    const rows = await query(server.superuserUrl, "show data_directory");
    expect(rows).toEqual([{ data_directory: join(inside, "data") }]);
  });
});

const query = (url: string, text: string): Promise<Record<string, unknown>[]> =>
  connected(url, async (sql) => [...(await sql.unsafe(text))]);

async function natsClient(url: string) {
  const { username: user, password: pass, host: servers } = new URL(url);
  const client = await connect({ servers, user, pass });
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
