/** The image lacks the library whose binary nobody may pass on, and does its work by Debian's ffmpeg. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { hasFfmpeg } from "../support/video-codecs.ts";
import { folderForTests } from "../support/temporary-folder.ts";

const FORBIDDEN = /^node_modules\/(@mediabunny\/server|node-av|@seydx\/.*)$/;

/** The stages of the Dockerfile, with each instruction on one line. */
const [, dependencies = "", , image = ""] = readFileSync("deploy/Dockerfile", "utf8")
  .replaceAll(/^ *#.*\n/gm, "")
  .replaceAll("\\\n", "")
  .split(/^FROM /m);
const argumentsOf = (instruction: "RUN" | "COPY", stage: string): string[] =>
  stage.split("\n").flatMap((line) => {
    const [name, ...rest] = line.split(" ");
    return name === instruction ? [rest.join(" ")] : [];
  });
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  packages: Record<string, { dev?: boolean }>;
};
const installed = Object.entries(packages).flatMap(([path, { dev }]) =>
  !dev && existsSync(join(path, "package.json")) ? [path] : [],
);

const [install, ...afterInstall] = argumentsOf("RUN", dependencies);

/** The folder /app of the image, as far as it matters here. */
const app = folderForTests();
const remaining = () => installed.filter((path) => path && existsSync(join(app, path)));

beforeAll(() => {
  // The package.json of each package represents it.
  for (const path of installed) cpSync(join(path, "package.json"), join(app, path, "package.json"));
  for (const command of afterInstall) execFileSync("sh", ["-c", command], { cwd: app });
});

it("nothing of the library is left in the image, and all that the services name is", () => {
  expect(install).toMatch(/^npm ci --omit=dev --ignore-scripts\b/);
  expect(installed.some((path) => FORBIDDEN.test(path))).toBe(true);
  expect(remaining().filter((path) => FORBIDDEN.test(path))).toEqual([]);
  const named = Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`);
  expect(remaining()).toEqual(
    expect.arrayContaining(named.filter((path) => !FORBIDDEN.test(path))),
  );
});

it("ffmpeg is installed in the image, by apt and without what else it recommends", () => {
  expect(argumentsOf("RUN", image)).toContainEqual(
    expect.stringMatching(
      /^apt-get update +&& apt-get install -y --no-install-recommends ffmpeg +&& rm -rf \/var\/lib\/apt\/lists\/\*$/,
    ),
  );
});

it.runIf(hasFfmpeg)(
  "where ffmpeg is installed, every service loads, makes and shows videos without the library",
  () => {
    for (const path of remaining()) {
      if (path.lastIndexOf("node_modules/") > 0) continue;
      rmSync(join(app, path), { recursive: true });
      symlinkSync(resolve(path), join(app, path));
    }
    for (const copied of argumentsOf("COPY", image).filter((one) => !one.startsWith("--from"))) {
      const names = copied.split(" ");
      const to = join(app, names.pop() ?? "");
      for (const name of names) {
        cpSync(name, copied.endsWith("/") ? join(to, name) : to, { recursive: true });
      }
    }
    const program = `
    import { readFileSync } from "node:fs";
    for (const name of ["gateway", "generation", "billing", "delivery", "simulator"]) {
      await import(\`./services/\${name}/service.ts\`);
    }
    const { videoOf } = await import("./services/simulator/render/draw.ts");
    const { writeVideo } = await import("./services/simulator/render/video-file.ts");
    const { createMediaDecoder } = await import("./services/delivery/media/decoder.ts");
    const picture = { kind: "video", width: 320, height: 180, durationSeconds: 1 };
    await writeVideo("clip.mp4", videoOf(picture, "fixture"), () => false);
    await using decoder = createMediaDecoder();
    const clip = readFileSync("clip.mp4");
    const file = { bytes: clip.byteLength, read: async (at, length) => clip.subarray(at, at + length) };
    const header = await decoder.header(file);
    const thumbnail = await decoder.thumbnail(file);
    console.log(JSON.stringify({ header, thumbnailBytes: thumbnail?.byteLength }));
  `;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: app,
    });
    expect(JSON.parse(said.toString())).toEqual({
      header: { width: 320, height: 180, durationSeconds: 1 },
      thumbnailBytes: expect.any(Number),
    });
  },
);
