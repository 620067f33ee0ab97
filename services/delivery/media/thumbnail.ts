/** Makes thumbnails of videos in a child process, one at a time. */
import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type Thumbnailer = AsyncDisposable & {
  /**
   * A JPEG, 640 pixels wide, of the first frame that is not black; undefined where the video cannot
   * be decoded, or not in time. Never rejects.
   */
  thumbnail(videoPath: string): Promise<Uint8Array | undefined>;
};

export type ThumbnailerOptions = {
  /** How long one video may take, waiting for others not counted. */
  timeoutMs?: number;
};

type Answer = Uint8Array | undefined | "lost";

const PROGRAM = fileURLToPath(new URL("./thumbnail-process.ts", import.meta.url));

/**
 * The child starts with the first video and is replaced where one hangs it or brings it down. It is
 * a process and no thread because the decoder is native code that reads strangers' files: a thread
 * that is ended amid a decode aborts the whole process. Nor does it see our environment's secrets.
 */
export function createThumbnailer({ timeoutMs = 20_000 }: ThumbnailerOptions = {}): Thumbnailer {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function living(): ChildProcess {
    if (child) return child;
    const started = start();
    started.once("exit", () => {
      if (child === started) child = undefined;
    });
    return (child = started);
  }
  async function run(videoPath: string): Promise<Uint8Array | undefined> {
    if (isClosed) return undefined;
    const current = living();
    const answer = await ask(current, videoPath, timeoutMs);
    if (answer !== "lost") return answer;
    if (child === current) child = undefined;
    await stop(current);
    return undefined;
  }
  return {
    thumbnail(videoPath) {
      const result = last.then(() => run(videoPath));
      last = result;
      return result;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
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
  // Where it cannot start, the question to it fails.
  return child.on("error", () => undefined);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.ref();
  child.kill("SIGKILL");
  await exited;
}

/** One question to the child; "lost" where it can be asked no more. */
function ask(child: ChildProcess, videoPath: string, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const finish = (answer: Answer): void => {
      clearTimeout(timer);
      child.off("message", answered).off("exit", lost);
      hold(child, false);
      resolve(answer);
    };
    const answered = (message: unknown): void => {
      finish(message instanceof Uint8Array ? message : undefined);
    };
    const lost = (): void => finish("lost");
    const timer = setTimeout(lost, timeoutMs);
    hold(child, true);
    child.on("message", answered).on("exit", lost);
    child.send(videoPath, (error) => {
      if (error) lost();
    });
  });
}

/** A waiting child must not keep this process alive; a working one must. */
function hold(child: ChildProcess, isBusy: boolean): void {
  if (isBusy) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
