/** Decides how a server process is started: as which user, with which rights, and how it ends with us. */
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../start-error.ts";

export type User = { uid: number; gid: number };

export type Program = {
  file: string;
  args: readonly string[];
  /** The signal that the program gets when this process dies, where the system offers that. */
  deathSignal: "QUIT" | "KILL";
  /** Another user to run as; only root can. */
  user?: User | undefined;
  /** Folders and files that the user must be able to reach. */
  reach?: readonly string[];
};

/** What is handed to spawn(). */
export type Launch = {
  file: string;
  args: string[];
  user: User | undefined;
  /** In a process group of its own, a Ctrl-C reaches us first, and the server only when we are done. */
  ownGroup: boolean;
};

/** Throws StartError where the user cannot be made to reach what it needs. */
export function planLaunch(program: Program): Launch {
  const { file, args, user } = program;
  const hidden = user && [file, ...(program.reach ?? [])].find((path) => !canReach(path, user));
  if (!hasSetpriv()) {
    if (hidden !== undefined) throw unreachable(hidden, "there is no setpriv (util-linux) here");
    return { file, args: [...args], user, ownGroup: false };
  }
  const rights = user ? asUser(user, hidden) : [];
  const wrapped = ["--pdeathsig", program.deathSignal, ...rights, "--", file, ...args];
  return { file: "setpriv", args: wrapped, user: undefined, ownGroup: true };
}

function asUser({ uid, gid }: User, hidden: string | undefined): string[] {
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"];
  if (hidden === undefined) return [...drop, "--inh-caps=-all"];
  const capability = reachingCapability();
  if (!capability) throw unreachable(hidden, "root lacks the capability to lend here");
  return [...drop, `--inh-caps=-all,+${capability}`, `--ambient-caps=-all,+${capability}`];
}

function unreachable(path: string, why: string): StartError {
  return new StartError(
    `As root, PostgreSQL runs as another user, which cannot reach ${path}, and ${why}: ` +
      `start as an ordinary user, or use a checkout and a DATA_DIR that others may enter.`,
  );
}

function hasSetpriv(): boolean {
  return spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" }).status === 0;
}

/** The weaker one first: reading and entering is all it takes. Containers often have the other alone. */
function reachingCapability(): "dac_read_search" | "dac_override" | undefined {
  const status = readFileSync("/proc/self/status", "utf8");
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  if (held & 4n) return "dac_read_search";
  if (held & 2n) return "dac_override";
  return undefined;
}

function canReach(path: string, user: User): boolean {
  if (path === dirname(path)) return true;
  const parent = dirname(path);
  const { mode, uid, gid } = statSync(parent);
  const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & enter) !== 0 && canReach(parent, user);
}
