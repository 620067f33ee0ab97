/** Foreign files are read in processes that can harm nothing but themselves, and thumbnails are made there. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { getPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { systemClock } from "#runtime/clock.ts";
import {
  startConfined,
  type Confined,
  readFrames,
  writeFrame,
} from "../../../services/delivery/media/confinement.ts";
import {
  DECODER_USER_ID,
  type MediaDecoder,
  createMediaDecoder,
} from "../../../services/delivery/media/decoder.ts";
import { inMemory, MediaError } from "../../../services/delivery/media/inspect.ts";
import { hostileVideos, videoOfLargeFrames } from "../../support/hostile-media.ts";
import { makeVideo, makeImage } from "../../support/make-media.ts";
import { hasFfmpeg, describeByCodecs } from "../../support/video-codecs.ts";
import { mediaFixture, patientDecoder, pixelAt } from "./media-fixture.ts";
import { createHash } from "node:crypto";
import { createCanvas } from "@napi-rs/canvas";

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
  expect(JSON.parse(String(value))).toMatchObject({ read: { at: 0 } });
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
  const { decoder } = mediaFixture({ codecs: "ffmpeg" });
  let parent: number;
  let ffmpeg: number;
  const own = (pid: number, name: string) => readFileSync(`/proc/${pid}/${name}`, "utf8");
  const idsOf = (pid: number) => own(pid, "status").match(/^(Uid|Gid|Groups|Cap\w+):.*$/gm);
  beforeAll(async () => {
    const video = await makeVideo({ durationSeconds: 6, blackSeconds: 6, width: 1280 });
    ({ parent, ffmpeg } = await caught(decoder, video));
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
async function caught(decoder: MediaDecoder, video: Uint8Array) {
  for (;;) {
    let isRunning = true;
    void decoder.thumbnail(inMemory(video)).then(() => (isRunning = false));
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

const { decoder, inspect } = mediaFixture();
const mp4 = await makeVideo({ blackSeconds: 0.5 });
const webm = await makeVideo({ container: "webm" });

/** The processes give way to all others, and some of the videos take seconds of a processor. */
const timeout = 600_000;
describeByCodecs("the thumbnail of a video", (codecs) => {
  const { thumbnail } = mediaFixture({ codecs });
  const jpegOf = async (video: Uint8Array) => (await thumbnail(video)) ?? Buffer.alloc(0);

  it("is a JPEG, 640 wide, of the first frame that is not black", async () => {
    const jpeg = await jpegOf(mp4);
    const expected = { contentType: "image/jpeg", width: 640, height: 360 };
    expect(await inspect(jpeg)).toMatchObject(expected);
    const { red, green, blue } = await pixelAt(jpeg, 0.5, 0.5);
    expect([red, green, blue].map((value) => Math.round(value / 20))).toEqual([13, 8, 0]);
  });

  it("is turned as the video is displayed", async () => {
    const jpeg = await jpegOf(await makeVideo({ rotation: 90, lowerHalf: "blue" }));
    expect(await inspect(jpeg)).toMatchObject({ width: 640, height: 1138 });
    const { red, blue } = await pixelAt(jpeg, 0.9, 0.5);
    expect(red).toBeGreaterThan(blue + 100);
  });

  it.each([
    ["of one frame", { durationSeconds: 0.04, framesPerSecond: 25 }],
    [
      "with few frames a second, black at first",
      { durationSeconds: 4, framesPerSecond: 2, blackSeconds: 2 },
    ],
  ])("is made of a video %s", async (_, video) => {
    const jpeg = await jpegOf(await makeVideo(video));
    expect((await pixelAt(jpeg, 0.5, 0.5)).red).toBeGreaterThan(200);
  });

  it("is made of a WebM, and of a video that is all black", async () => {
    expect(await thumbnail(webm)).toBeInstanceOf(Uint8Array);
    expect(await thumbnail(await makeVideo({ blackSeconds: 9 }))).toBeInstanceOf(Uint8Array);
  });

  it("is not made of a file that cannot be decoded, and the next one is made as usual", async () => {
    const broken = Buffer.from(mp4);
    broken.fill(0xff, broken.indexOf("mdat") + 4);
    expect(await thumbnail(broken)).toBeUndefined();
    expect(await thumbnail(Buffer.from("no video"))).toBeUndefined();
    expect(await thumbnail(mp4)).toBeInstanceOf(Uint8Array);
  });

  it("is the only one that a hostile video costs, whatever it is", { timeout }, async () => {
    const videos = { ...(await hostileVideos()), "large frames": await videoOfLargeFrames() };
    for (const [what, video] of Object.entries(videos))
      expect({ what, made: await thumbnail(video) }).toEqual({ what, made: undefined });
    expect(await thumbnail(mp4)).toBeInstanceOf(Uint8Array);
  });
});

it("the header of a hostile video costs no other one, whatever it is", { timeout }, async () => {
  const headerOf = (video: Uint8Array) => decoder.header(inMemory(video));
  for (const [what, video] of Object.entries(await hostileVideos())) {
    const found: unknown = await headerOf(video).catch((error: unknown) => error);
    const isRead =
      found instanceof MediaError || Number.isFinite(Reflect.get(Object(found), "width"));
    expect({ what, isRead }).toEqual({ what, isRead: true });
  }
  const large = await videoOfLargeFrames();
  expect(await headerOf(large)).toMatchObject({ width: 16_000, height: 16_000 });
  expect(await headerOf(mp4)).toMatchObject({ width: 320, height: 180 });
});

it("the processes that make thumbnails give one up at the time limit of its video, or when the decoder is disposed of", async () => {
  const video = inMemory(mp4);
  const hasty = createMediaDecoder({ timeoutsMs: { start: 0, thumbnail: 1 } });
  const given = [hasty.thumbnail(video), hasty.thumbnail(video)];
  expect(await Promise.all(given)).toEqual([undefined, undefined]);
  const patient = createMediaDecoder();
  const running = [patient.thumbnail(video), patient.thumbnail(video)];
  await patient[Symbol.asyncDispose]();
  expect(await Promise.all(running)).toEqual([undefined, undefined]);
  await hasty[Symbol.asyncDispose]();
  expect(await hasty.thumbnail(video)).toBeUndefined();
});

it("a video gets no thumbnail where nothing can decode it", async () => {
  await using without = patientDecoder({ codecs: "none" });
  expect(await without.thumbnail(inMemory(mp4))).toBeUndefined();
});

describe("the thumbnail of an image", () => {
  const thumbnail = (content: Uint8Array) => decoder.imageThumbnail(inMemory(content));
  const pictureOf = async (content: Uint8Array) => {
    const picture = await thumbnail(content);
    return typeof picture === "string" ? Buffer.alloc(0) : picture;
  };

  it.each(["png", "jpeg", "webp"] as const)(
    "is a WebP of a %s, no wider than 640",
    async (kind) => {
      const webp = await pictureOf(makeImage(kind, 1_600, 900));
      const expected = { contentType: "image/webp", width: 640, height: 360 };
      expect(await inspect(webp)).toMatchObject(expected);
    },
  );

  it("has at most 40 kB, also of a picture that is all noise", async () => {
    const { byteLength } = await pictureOf(noise(1_024, 1_024));
    expect(byteLength).toBeGreaterThan(0);
    expect(byteLength).toBeLessThanOrEqual(40_000);
  });

  it("is not made of what is no such image, nor of more pixels than the decoder may hold", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    expect(await thumbnail(Buffer.from(svg))).toBe("undecodable");
    expect(await thumbnail(makeImage("png").subarray(0, 60))).toBe("undecodable");
    const huge = makeImage("png");
    huge.writeUInt32BE(16_000, 16);
    huge.writeUInt32BE(16_000, 20);
    expect(await thumbnail(huge)).toBe("undecodable");
    expect(await thumbnail(makeImage("png"))).toBeInstanceOf(Uint8Array);
  });

  it("is unfinished, not undecodable, where the process ends before it", async () => {
    const closed = createMediaDecoder();
    await closed[Symbol.asyncDispose]();
    expect(await closed.imageThumbnail(inMemory(makeImage("png")))).toBe("unfinished");
    await expect(closed.header(inMemory(mp4))).rejects.toMatchObject({ fault: "unfinished" });
  });
});

/** A PNG of random pixels, which no encoder makes small. */
function noise(width: number, height: number): Buffer {
  const context = createCanvas(width, height).getContext("2d");
  const image = context.createImageData(width, height);
  // The same each time.
  image.data.set(createHash("shake256", { outputLength: image.data.length }).digest());
  for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
  context.putImageData(image, 0, 0);
  return context.canvas.toBuffer("image/png");
}
