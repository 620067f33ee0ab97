/** The benchmark's own processes, which it gives orders to and hears from. */
import { fork, type Serializable } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Where requests go, and the processes whose time counts. */
export type Target = { port: number; pids: readonly number[] };

/** The first message of one that serves. */
export type Ready = { port: number };

export type Child = ReturnType<typeof startChild>;

/** `file` is in this folder, and ends when it is disconnected. */
export function startChild(file: string) {
  const child = fork(fileURLToPath(new URL(`./${file}`, import.meta.url)));
  return {
    pids: child.pid === undefined ? [] : [child.pid],
    send: (message: Serializable) => void child.send(message),
    /** The next message of the process; rejects if it ends before. */
    async message<T>(): Promise<T> {
      const settled = new AbortController();
      const { signal } = settled;
      const ended = once(child, "exit", { signal }).then(() => {
        throw new Error("a child process ended");
      });
      const [message] = (await Promise.race([once(child, "message"), ended])) as [T];
      ended.catch(() => undefined);
      settled.abort();
      return message;
    },
    [Symbol.dispose]: () => child.disconnect(),
  };
}
