/** Foreign videos are read in processes that can harm nothing but themselves. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import {
  startConfined,
  type Confined,
  readFrames,
  writeFrame,
} from "../../../services/delivery/media/confinement.ts";
import { DECODER_USER_ID, type MediaDecoder } from "../../../services/delivery/media/decoder.ts";
import { MediaError } from "../../../services/delivery/media/inspect.ts";
import { hostileVideos, videoOfLargeFrames } from "../../support/hostile-media.ts";
import { makeVideo } from "../../support/make-media.ts";
import { hasFfmpeg, describeByCodecs } from "../../support/video-codecs.ts";
import { mediaFixture } from "./media-fixture.ts";

const PROGRAM = fileURLToPath(
  new URL("../../../services/delivery/media/decoder-process.ts", import.meta.url),
);
const IS_ROOT = process.getuid?.() === 0;
/** Whether the kernel, or the container, lets this user make a network namespace. */
const CAN_UNSHARE =
  spawnSync("unshare", [...(IS_ROOT ? [] : ["--user"]), "--net", "true"]).status === 0;

/** Starts the program and gives it a video of which it gets nothing: it waits for the first bytes. */
async function waitingProcess(): Promise<Confined> {
  const user = IS_ROOT ? [String(DECODER_USER_ID)] : [];
  const started = startConfined(PROGRAM, ["header", ...user]);
  writeFrame(started.stdin, Buffer.from("1000000"));
  const { value } = await readFrames(started.stdout, 1_000).next();
  expect(JSON.parse(String(value))).toMatchObject({ read: { start: 0 } });
  return started;
}

describe.runIf(process.platform === "linux")("the process that reads a video", () => {
  let reader: Confined;
  const proc = (name: string) => `/proc/${reader.pid}/${name}`;
  beforeAll(async () => {
    reader = await waitingProcess();
  });
  afterAll(() => void reader.kill("SIGKILL"));

  it("has limits of memory, processor time, files and what it may write", () => {
    const limits = readFileSync(proc("limits"), "utf8");
    expect(limits).toMatch(/^Max data size +1536000000 +1536000000 /m);
    expect(limits).toMatch(/^Max cpu time +120 +120 /m);
    expect(limits).toMatch(/^Max open files +64 +64 /m);
    expect(limits).toMatch(/^Max file size +0 +0 /m);
    expect(limits).toMatch(/^Max core file size +0 +0 /m);
  });

  it("gives way to the service where processors are short", () => {
    expect(getPriority(reader.pid)).toBeGreaterThan(getPriority());
  });

  it("has nothing of the service's environment, and nothing open but its pipes", () => {
    const names = readFileSync(proc("environ"), "utf8").split("\0").filter(Boolean);
    expect(names.map((line) => line.split("=")[0])).toEqual(
      expect.not.arrayContaining(["PATH", "HOME", "NATS_SERVER", "NODE_OPTIONS"]),
    );
    expect(names.length).toBeLessThanOrEqual(1);
    const open = readdirSync(proc("fd")).map((fd) => readlinkSync(proc(`fd/${fd}`)));
    const foreign = open.filter((target) => !/^(anon_inode:|pipe:|\/dev\/null$)/.test(target));
    expect(foreign).toEqual([expect.stringMatching(/^socket:/), expect.stringMatching(/^socket:/)]);
  });

  it.runIf(CAN_UNSHARE)("has no network, where the kernel lets the service take it away", () => {
    expect(readlinkSync(proc("ns/net"))).not.toBe(readlinkSync("/proc/self/ns/net"));
    const interfaces = readFileSync(proc("net/dev"), "utf8").match(/^ *\S+(?=:)/gm) ?? [];
    expect(interfaces.map((name) => name.trim())).toEqual(["lo"]);
  });

  it.runIf(IS_ROOT)("is of a user of its own, without any right of root", () => {
    const status = readFileSync(proc("status"), "utf8");
    const id = String(DECODER_USER_ID);
    const ids = (name: string) => new RegExp(`^${name}:\\s*(.*?)\\s*$`, "m").exec(status)?.[1];
    expect(ids("Uid")?.split("\t")).toEqual([id, id, id, id]);
    expect(ids("Gid")?.split("\t")).toEqual([id, id, id, id]);
    expect(ids("Groups")).toBe(id);
    expect(ids("CapEff")).toBe("0000000000000000");
    expect(ids("CapPrm")).toBe("0000000000000000");
  });

  it("ends when the service is gone", async () => {
    const orphan = await waitingProcess();
    const exited = once(orphan, "exit");
    orphan.stdin.destroy();
    expect(await exited).toEqual([null, "SIGKILL"]);
  });
});

describe.runIf(process.platform === "linux" && hasFfmpeg)("ffmpeg, which decodes a video", () => {
  const { decoder, fileOf } = mediaFixture({ codecs: "ffmpeg" });
  let parent: number;
  let ffmpeg: number;
  const own = (pid: number, name: string) => readFileSync(`/proc/${pid}/${name}`, "utf8");
  const idsOf = (pid: number) => own(pid, "status").match(/^(Uid|Gid|Groups|Cap\w+):.*$/gm);
  beforeAll(async () => {
    const path = await fileOf(
      await makeVideo({ durationSeconds: 6, blackSeconds: 6, width: 1280 }),
    );
    ({ parent, ffmpeg } = await caught(decoder, path));
  });

  it("has the user, limits, priority and network of the process that started it", () => {
    expect(idsOf(ffmpeg)).toEqual(idsOf(parent));
    expect(own(ffmpeg, "limits")).toBe(own(parent, "limits"));
    expect(getPriority(ffmpeg)).toBe(getPriority(parent));
    expect(readlinkSync(`/proc/${ffmpeg}/ns/net`)).toBe(readlinkSync(`/proc/${parent}/ns/net`));
  });

  it("ends with it, even where it hangs", async () => {
    await decoder[Symbol.asyncDispose]();
    const state = () =>
      existsSync(`/proc/${ffmpeg}`) ? own(ffmpeg, "stat").split(" ")[2] : "gone";
    await expect.poll(state).toMatch(/^(gone|Z|X)$/);
  });
});

/** Shorter than the life of an ffmpeg; a loop without rests would starve those processes, which give way to all others. */
const LOOK_EVERY_MS = 2;

/** Has videos decoded until an ffmpeg could be stopped at its work. It stays so. */
async function caught(
  decoder: MediaDecoder,
  path: string,
): Promise<{ parent: number; ffmpeg: number }> {
  for (;;) {
    let isRunning = true;
    void decoder.thumbnail(path).then(() => (isRunning = false));
    while (isRunning) {
      const parent = childOf(process.pid, "cmdline", "thumbnail-by-ffmpeg");
      const ffmpeg = parent && childOf(parent, "comm", "ffmpeg\n");
      if (parent && ffmpeg) {
        process.kill(ffmpeg, "SIGSTOP");
        if (existsSync(`/proc/${parent}`)) return { parent, ffmpeg };
      }
      await systemClock.sleep(LOOK_EVERY_MS);
    }
  }
}

function childOf(pid: number, name: "cmdline" | "comm", text: string): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  const found = children.find((child) => {
    try {
      return child !== "" && readFileSync(`/proc/${child}/${name}`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
  return found === undefined ? undefined : Number(found);
}

/** The processes give way to all others, and some of the videos take seconds of a processor. */
const MANY_DECODES_MS = 600_000;
describeByCodecs("a hostile video", (codecs) => {
  const { decoder, fileOf } = mediaFixture({ codecs });

  it(
    "costs its own thumbnail only, whatever it is",
    async () => {
      const good = await fileOf(await makeVideo());
      for (const [what, content] of Object.entries(await hostileVideos())) {
        const path = await fileOf(content);
        const header = await decoder.header(path).catch((error: unknown) => error);
        const isRead =
          header instanceof MediaError || Number.isFinite(Reflect.get(Object(header), "width"));
        const thumbnail = await decoder.thumbnail(path);
        expect({ what, isRead, thumbnail }).toEqual({ what, isRead: true, thumbnail: undefined });
      }
      expect(await decoder.header(good)).toMatchObject({ width: 320, height: 180 });
      expect(await decoder.thumbnail(good)).toBeInstanceOf(Uint8Array);
    },
    MANY_DECODES_MS,
  );

  it("whose container says that its frames are too large is not decoded", async () => {
    const path = await fileOf(await videoOfLargeFrames());
    expect(await decoder.header(path)).toMatchObject({ width: 16_000, height: 16_000 });
    expect(await decoder.thumbnail(path)).toBeUndefined();
  });
});
