/**
 * Starts a program that reads foreign files: with limits, without environment, with nothing open but its pipes, and
 * where the kernel lets it without network.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export type Confined = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Processor time of one process, in seconds, after which the kernel ends it. Its parent ends a hanging one before; this
 * holds when the parent is gone or paused.
 */
const CPU_SECONDS = 120;
/**
 * Writable memory, in KiB. Of it Node reserves 540 MB for compiled code, which it does not use, and libraries take
 * 100 MB. Linux enforces it; macOS ignores it.
 */
const MEMORY_KIB = 1_500_000;
const MAX_HEAP_MB = 256;
const MAX_OPEN_FILES = 64;

/** A limit that the system does not know, or that is lower already, is left out. */
const LIMITS = [
  "ulimit -c 0",
  "ulimit -f 0",
  `ulimit -t ${CPU_SECONDS}`,
  `ulimit -n ${MAX_OPEN_FILES}`,
  `ulimit -d ${MEMORY_KIB}`,
].map((limit) => `${limit} 2>/dev/null`);

/**
 * Runs a TypeScript file with this Node. The limits are set by the shell, because Node sets none. A network namespace
 * of its own has no interface but an unused loopback. Root may make one; others make a user namespace with it, which
 * the default seccomp profiles of Docker and Kubernetes refuse: there the program keeps the network.
 */
export function startConfined(program: string, args: readonly string[]): Confined {
  const node = [process.execPath, `--max-old-space-size=${MAX_HEAP_MB}`, program, ...args];
  const unshare = isRoot() ? "unshare --net" : "unshare --user --net";
  const withoutNetwork = `${unshare} true 2>/dev/null && exec ${unshare} "$0" "$@"`;
  const script = [...LIMITS, withoutNetwork, 'exec "$0" "$@"'].join("; ");
  return spawn("/bin/sh", ["-c", script, ...node], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/**
 * Called by the program itself when it has loaded all code, which another user may not be able to read, and before it
 * reads anything foreign. It cannot be undone: no rights of root are left.
 */
export function becomeUser(id: number): void {
  process.setgroups?.([id]);
  process.setgid?.(id);
  process.setuid?.(id);
}

/** Whether this process may choose the user of another: it was started as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
