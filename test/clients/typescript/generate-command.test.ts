/** The command line against the whole service. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../../../clients/typescript/cli/program.ts";
import type { Client } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { startProcess } from "../../support/process.ts";
import { oneProcess, temporaryFolder, type WholeService } from "../../support/whole-service.ts";

const MAIN = "clients/typescript/cli/main.ts";
const VIDEO = ["--model", "beta-3.0-video"];

type Ended = { code: number; output: string };

/** Runs a command within this process; `output` is what it wrote to both streams. */
async function runToEnd(env: Record<string, string>, args: string[]): Promise<Ended> {
  let output = "";
  const stream = { write: (text: string) => (output += text) };
  const streams = { stdout: stream, stderr: stream };
  const code = await runProgram(args, env, streams, new AbortController().signal);
  return { code, output };
}

describe("the command line", () => {
  const stack = new AsyncDisposableStack();
  let service: WholeService;
  let folder: string;
  let env: Record<string, string>;
  let test: Client;
  let testEnv: Record<string, string>;
  beforeAll(async () => {
    service = stack.use(await oneProcess());
    folder = stack.use(await temporaryFolder()).path;
    const customer = await newCustomer(service, 1_000);
    const base = { MEDIA_BASE_URL: `${service.url}/v1` };
    env = { ...base, MEDIA_API_KEY: await customer.key("live") };
    const testKey = await customer.key("test");
    testEnv = { ...base, MEDIA_API_KEY: testKey };
    test = clientOf(service.url, testKey);
  });
  afterAll(() => stack.disposeAsync());

  it("saves a video, shows the price before and the charge after, and exits with 0", async () => {
    const out = join(folder, "cat.mp4");
    const args = ["a cat in the rain", ...VIDEO, "--duration", "2", "--out", out];
    const { code, output } = await runToEnd(env, args);
    expect(code).toBe(0);
    expect(output).toContain("beta-3.0-video costs 200 Tokens; balance 1,000 Tokens.");
    expect(output).toContain("Charged 200 Tokens; 800 Tokens left.");
    expect(output).toContain("success 100 %\n");
    expect(output).toContain(`${out}\n`);
    const bytes = await readFile(out);
    expect(bytes.subarray(4, 8).toString()).toBe("ftyp");
    expect(await readdir(folder)).toEqual(["cat.mp4"]);
  });

  it("saves an image of the requested size", async () => {
    const out = join(folder, "lighthouse.png");
    const args = ["a lighthouse", "--model", "gamma-image-3.0-pro", "--size", "1280x720"];
    const { code, output } = await runToEnd(env, [...args, "--out", out]);
    expect(code).toBe(0);
    expect(output).toContain("gamma-image-3.0-pro costs 42 Tokens;");
    expect(output).toContain("Charged 42 Tokens;");
    const bytes = await readFile(out);
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1280, 720]);
  });

  it("exits with 1 and the reason if the generation fails, and charges nothing", async () => {
    const failing = ["--metadata", "simulate=fail:content_rejected"];
    for (const model of ["beta-3.0-video", "gamma-image-3.0-pro"]) {
      const args = ["a cat", "--model", model, ...failing];
      const { code, output } = await runToEnd(testEnv, args);
      expect(code).toBe(1);
      expect(output).toContain("failed (content_rejected): ");
      expect(output).toContain("Nothing is charged");
    }
  });

  it("exits with 2 and what to do if the command is wrong or the request is refused", async () => {
    const cases: [string[], string][] = [
      [["--bogus"], "unknown option"],
      [[...VIDEO], "Give a prompt"],
      [["a cat"], "alpha-2.0  video, 210 Tokens per 5 seconds\n"],
      [["a cat", "--model", "delta-9"], "There is no model delta-9"],
      [["a cat", ...VIDEO, "--size", "1x1"], "--size and --seed are for image models"],
      [["a cat", ...VIDEO, "--duration", "many"], "It must be a whole number."],
      [["a cat", ...VIDEO, "--out", join(folder, "none", "cat.mp4")], "Cannot write to the folder"],
      [["a cat", ...VIDEO, "--out", folder], "--out is a folder"],
      [["a cat", ...VIDEO, "--duration", "31"], "beta-3.0-video; balance "],
      [["a cat", ...VIDEO, "--duration", "30"], "Tokens"],
      [["follow", "vgen_nonsense"], "no such generation"],
      [["cancel", "igen_1"], "Images cannot be canceled"],
      [["list", "sounds"], "It must be videos or images."],
    ];
    for (const [args, expected] of cases) {
      const { code, output } = await runToEnd(env, args);
      expect([code, output]).toEqual([2, expect.stringContaining(expected)]);
    }
    const withoutKey = { MEDIA_BASE_URL: env["MEDIA_BASE_URL"] ?? "", DATA_DIR: folder };
    const { code, output } = await runToEnd(withoutKey, ["a cat"]);
    expect([code, output]).toEqual([2, expect.stringContaining("set MEDIA_API_KEY")]);
  });

  it("exits with 3 if the service cannot be reached", async () => {
    const closed = { MEDIA_API_KEY: "mgs_live_x", PORT: String(await freePort()) };
    const { code, output } = await runToEnd(closed, ["a cat", ...VIDEO]);
    expect(code).toBe(3);
    expect(output).toContain("ECONNREFUSED");
  });

  it("prints on Ctrl-C how to continue, and continues", async () => {
    const out = join(folder, "slow cat.mp4");
    const slow = ["a cat", ...VIDEO, "--metadata", "simulate=slow:12", "--out", out];
    await using running = startProcess(MAIN, testEnv, slow);
    await running.says("processing");
    expect(await running.end("SIGINT")).toBe(130);
    const [, id = ""] = /follow (vgen_\w+) --out '.*slow cat\.mp4'/.exec(running.output()) ?? [];
    expect((await test.retrieveVideo(id)).status).toBe("processing");
    const early = await runToEnd(testEnv, ["download", id]);
    expect([early.code, early.output]).toEqual([
      2,
      expect.stringContaining(`It is processing. To wait for it: media-generation follow ${id}`),
    ]);
    const resumed = await runToEnd(testEnv, ["follow", id, "--out", out]);
    expect(resumed.code).toBe(0);
    expect((await stat(out)).size).toBeGreaterThan(0);
  });

  it("charges once for two runs with one idempotency key", async () => {
    const args = ["a cat", ...VIDEO, "--idempotency-key", "one", "--out", join(folder, "one.mp4")];
    const before = await test.retrieveBalance();
    for (const _ of [1, 2]) expect((await runToEnd(testEnv, args)).code).toBe(0);
    const after = await test.retrieveBalance();
    expect(before.available - after.available).toBe(500);
  });

  it("lists, shows and cancels generations, and saves the file of one that has ended", async () => {
    const metadata = { simulate: "slow:60" };
    const { id } = await test.createVideo({ model: "alpha-2.0", prompt: "a cat", metadata });
    const listed = await runToEnd(testEnv, ["list", "--status", "processing", "--limit", "1"]);
    expect(listed.code).toBe(0);
    await test.createImage({ model: "gamma-image-3.0-pro", prompt: "a cat" });
    const images = await runToEnd(testEnv, ["list", "images", "--json", "--limit", "1"]);
    const image = JSON.parse(images.output) as { id: string; status: string };
    expect(image).toMatchObject({ status: "success" });
    const shown = await runToEnd(testEnv, ["show", id]);
    expect(JSON.parse(shown.output)).toMatchObject({ id, model: "alpha-2.0" });
    expect(await runToEnd(testEnv, ["cancel", id])).toMatchObject({
      code: 0,
      output: "canceled; its Tokens are restored\n",
    });
    const all = await runToEnd(testEnv, ["list", "videos", "--limit", "1"]);
    expect(all.output).toMatch(new RegExp(`^${id}  \\S+Z  canceled    alpha-2.0\n$`));
    const out = join(folder, "downloaded.png");
    expect(await runToEnd(testEnv, ["download", image.id, "--out", out])).toMatchObject({
      code: 0,
    });
    expect((await stat(out)).size).toBeGreaterThan(0);
  });
});
