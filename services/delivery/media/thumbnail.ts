/** Makes thumbnails of videos in a child process, one at a time. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type Thumbnailer = AsyncDisposable & {
  /**
   * A JPEG, 640 pixels wide, of the first frame that is not black; undefined if the video cannot be decoded or
   * decoding times out. Never rejects.
   */
  thumbnail(videoPath: string): Promise<Uint8Array | undefined>;
};

export type ThumbnailerOptions = {
  /** The time limit for one video, without the wait for others. */
  timeoutMs?: number;
  /** How long the child stays without a video: it takes about 150 MB. */
  idleMs?: number;
};

type Reply = Uint8Array | undefined | "lost";

const PROGRAM = fileURLToPath(new URL("./thumbnail-process.ts", import.meta.url));

/**
 * The child starts with the first video, ends when there are none for a while, and is replaced after a video that crashes or hangs it. It is a process and not
 * a thread because the decoder is native code that reads untrusted files, and terminating a thread during a decode
 * aborts the whole process. It has no access to the secrets in our environment.
 */
export function createThumbnailer({
  timeoutMs = 20_000,
  idleMs = 30_000,
}: ThumbnailerOptions = {}): Thumbnailer {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  function runningChild(): ChildProcess {
    if (child) return child;
    const started = start();
    started.once("exit", () => {
      if (child === started) child = undefined;
    });
    return (child = started);
  }
  async function run(videoPath: string): Promise<Uint8Array | undefined> {
    if (isClosed) return undefined;
    clearTimeout(idleTimer);
    const current = runningChild();
    const reply = await requestThumbnail(current, videoPath, timeoutMs);
    if (reply === "lost") {
      await leave(current);
      return undefined;
    }
    idleTimer = setTimeout(() => void leave(current), idleMs).unref();
    return reply;
  }
  async function leave(current: ChildProcess): Promise<void> {
    if (child === current) child = undefined;
    await stop(current);
  }
  return {
    thumbnail(videoPath) {
      const result = last.then(() => run(videoPath));
      last = result;
      return result;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(idleTimer);
      if (child) await stop(child);
      await last;
    },
  };
}

function start(): ChildProcess {
  const child = fork(PROGRAM, {
    serialization: "advanced",
    execArgv: [],
    env: {},
    stdio: "ignore",
  });
  // If the child cannot start, sending to it fails.
  return child.on("error", () => undefined);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.ref();
  child.kill("SIGKILL");
  await exited;
}

/** Sends one request to the child; "lost" if it timed out or the child has exited. */
function requestThumbnail(
  child: ChildProcess,
  videoPath: string,
  timeoutMs: number,
): Promise<Reply> {
  return new Promise((resolve) => {
    const finish = (reply: Reply): void => {
      clearTimeout(timer);
      child.off("message", replied).off("exit", lost);
      keepAlive(child, false);
      resolve(reply);
    };
    const replied = (message: unknown): void => {
      finish(message instanceof Uint8Array ? message : undefined);
    };
    const lost = (): void => finish("lost");
    const timer = setTimeout(lost, timeoutMs);
    keepAlive(child, true);
    child.on("message", replied).on("exit", lost);
    child.send(videoPath, (error) => {
      if (error) lost();
    });
  });
}

/** Sets whether the child keeps this process alive: only a busy one must. */
function keepAlive(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
