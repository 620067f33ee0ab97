/** Plans how a server process is started: its user, its capabilities, and its end when this process dies. */
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../settings/start-error.ts";

export type User = { uid: number; gid: number };

export type Program = {
  file: string;
  args: readonly string[];
  /** The signal that the program gets when this process dies, on systems with setpriv. */
  deathSignal: "QUIT" | "KILL";
  /** The user to run as, if another; only root can do that. */
  user?: User | undefined;
  /** Folders and files that the user must have access to. */
  needs?: readonly string[];
};

/** The arguments of spawn(). */
export type Launch = {
  file: string;
  args: string[];
  user: User | undefined;
  /** Keeps the server out of our process group: Ctrl-C then reaches only this process, which stops the server last. */
  ownGroup: boolean;
};

/** Throws StartError when the user cannot be given access to what it needs. */
export function planLaunch(program: Program): Launch {
  const { file, args, user } = program;
  const hidden = user && [file, ...(program.needs ?? [])].find((path) => !hasAccess(path, user));
  if (!hasSetpriv()) {
    if (hidden !== undefined) throw noAccess(hidden, "setpriv (util-linux) is not installed");
    return { file, args: [...args], user, ownGroup: false };
  }
  const rights = user ? asUser(user, hidden) : [];
  const wrapped = ["--pdeathsig", program.deathSignal, ...rights, "--", file, ...args];
  return { file: "setpriv", args: wrapped, user: undefined, ownGroup: true };
}

function asUser({ uid, gid }: User, hidden: string | undefined): string[] {
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"];
  if (hidden === undefined) return [...drop, "--inh-caps=-all"];
  const held = heldCapabilities();
  const capability = accessCapability(held);
  if (!capability) throw noAccess(hidden, "root has no capability to grant access here");
  // Without this, access(2) ignores the capability: initdb asks it whether it finds the server beside itself.
  const asked = held & SETPCAP ? ["--securebits=+no_setuid_fixup"] : [];
  return [
    ...asked,
    ...drop,
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=-all,+${capability}`,
  ];
}

function noAccess(path: string, why: string): StartError {
  return new StartError(
    `As root, PostgreSQL runs as another user, which has no access to ${path}, and ${why}: ` +
      `start as an ordinary user, or use a checkout and a DATA_DIR that other users may enter.`,
  );
}

function hasSetpriv(): boolean {
  return spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" }).status === 0;
}

/** Their bits, as in Linux. */
const [DAC_OVERRIDE, DAC_READ_SEARCH, SETPCAP] = [1n << 1n, 1n << 2n, 1n << 8n];

function heldCapabilities(): bigint {
  const status = readFileSync("/proc/self/status", "utf8");
  return BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
}

/** The weaker capability first: read access is enough. Containers often have only the other. */
function accessCapability(held: bigint): "dac_read_search" | "dac_override" | undefined {
  if (held & DAC_READ_SEARCH) return "dac_read_search";
  if (held & DAC_OVERRIDE) return "dac_override";
  return undefined;
}

function hasAccess(path: string, user: User): boolean {
  if (path === dirname(path)) return true;
  const parent = dirname(path);
  const { mode, uid, gid } = statSync(parent);
  const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & enter) !== 0 && hasAccess(parent, user);
}
