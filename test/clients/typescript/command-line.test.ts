/** The command line against the whole service. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../../../clients/typescript/cli/program.ts";
import { verifyWebhook, type Client, type Video } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { makeImage } from "../../support/make-media.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startProcess } from "../../support/process.ts";
import { runToEnd } from "./run-command.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const MAIN = "clients/typescript/cli/main.ts";
const VIDEO = ["--model", "beta-3.0-video"];

describe("the command line", () => {
  const stack = new AsyncDisposableStack();
  let service: SharedService;
  let folder: string;
  let env: Record<string, string>;
  let test: Client;
  let testEnv: Record<string, string>;
  beforeAll(async () => {
    service = await sharedService();
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
    const args = ["video", "a cat in the rain", ...VIDEO, "--duration", "2", "--out", out];
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
    const args = ["image", "a lighthouse", "--model", "gamma-image-3.0-pro", "--size", "1280x720"];
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
    for (const [kind, model] of [
      ["video", "beta-3.0-video"],
      ["image", "gamma-image-3.0-pro"],
    ] as const) {
      const args = [kind, "a cat", "--model", model, ...failing];
      const { code, output } = await runToEnd(testEnv, args);
      expect(code).toBe(1);
      expect(output).toContain("failed (content_rejected): ");
      expect(output).toContain("Nothing is charged");
    }
  });

  it("exits with 2 and what to do if the command is wrong or the request is refused", async () => {
    const video = ["video", "a cat", ...VIDEO];
    const cases: [string[], string][] = [
      [["--bogus"], "unknown option"],
      [["video"], "missing required argument 'prompt'"],
      [["video", "a cat"], "alpha-2.0                video  210 Tokens per 5 seconds\n"],
      [["video", "a cat", "--model", "delta-9"], "There is no model delta-9"],
      [["image", "a cat", ...VIDEO], "beta-3.0-video makes videos: media-generation video"],
      [[...video, "--size", "1x1"], "unknown option '--size'"],
      [[...video, "--duration", "many"], "It must be a whole number."],
      [[...video, "--image", join(folder, "none.png")], "Cannot read the file"],
      [[...video, "--out", join(folder, "none", "cat.mp4")], "Cannot write to the folder"],
      [[...video, "--output", "/dev/null/none/"], "Cannot make the folder /dev/null/none"],
      [["video", ""], "The prompt is empty.\n"],
      [["video", " ", ...VIDEO], "The prompt is empty.\n"],
      [
        ["models", "--kind", "vido"],
        "--kind must be video or image; it is vido. Did you mean video?",
      ],
      [["help", "vidoe"], "unknown command 'vidoe'. Did you mean video?\n"],
      [["listen", "--forward-to", "nope.invalid"], "--forward-to: there is no host nope.invalid."],
      [[...video, "--duration", "31"], "--duration"],
      [
        ["listen", "--forward-to", "ftp://x"],
        "--forward-to begins with http:// or https://, not ftp://",
      ],
      [["upload", "-"], "The standard input has no picture.\n"],
      [
        ["video", "-", ...VIDEO, "--image", "-"],
        "Only one of the prompt and the pictures can be -",
      ],
      [
        ["image", "a cat", "--model", "gamma-image-3.0-pro", "--n", "2", "-o", "-"],
        "--n must be 1",
      ],
      [[...video, "-o", "-", "--json"], "--output - and --json would both"],
      [["transactions", "--type", "captur"], "Did you mean capture?"],
      [[...video, "--duration", "30"], "Tokens"],
      [["get", "vgen_nonsense"], "one looks like vgen_"],
      [["get", "abc"], "the id must begin with vgen_ (video), igen_ (image), file_ (file), whd_"],
      [["cancel", "file_1"], "the id must begin with vgen_ (video), igen_ (image)."],
      [["redeliver", "vgen_1"], "the id must begin with whd_ (delivery)."],
      [["list", "--limit", "0"], "It must be at least 1."],
      [["list", "video"], "The kind must be videos or images; it is video. Did you mean videos?"],
      [["list", "imgs"], "Did you mean images?"],
      [
        ["models", "beta-3.0-vidoe"],
        "There is no model beta-3.0-vidoe. Did you mean beta-3.0-video?",
      ],
      [["deliveries", "--status", "sent"], "--status"],
      [["usage", "--from", "yesterday"], "--from"],
      [["get", "file_1", "--wait"], "--wait and --output are for generations"],
      [["delete", "key_1"], "the id must begin with vgen_ (video), igen_ (image), file_ (file)."],
      [["list", "sounds"], "The kind must be videos or images; it is sounds.\n"],
      [["listen", "--forward-to", "http://"], "--forward-to is not a URL"],
      [["balance", "--base-url", "localhost:8080"], "--base-url is not a URL"],
    ];
    for (const [args, expected] of cases) {
      const { code, output } = await runToEnd(env, args);
      expect([code, output]).toEqual([2, expect.stringContaining(expected)]);
      expect(output).not.toContain("Usage:");
    }
    const unpriced = await runToEnd(env, [...video, "--duration", "31"]);
    expect(unpriced.output).not.toContain("balance");
    await writeFile(join(folder, "empty.png"), "");
    for (const args of [
      ["upload", join(folder, "empty.png")],
      [...video, "--image", join(folder, "empty.png")],
    ])
      expect(await runToEnd(env, args)).toEqual({
        code: 2,
        output: `The file ${join(folder, "empty.png")} is empty.\n`,
      });
    const withoutKey = { MEDIA_BASE_URL: env["MEDIA_BASE_URL"] ?? "", DATA_DIR: folder };
    const { code, output } = await runToEnd(withoutKey, ["balance"]);
    expect([code, output]).toEqual([2, expect.stringContaining("set MEDIA_API_KEY")]);
  });

  it("says of a key that no service has given that it is wrong, without showing it", async () => {
    const pasted = { ...testEnv, MEDIA_API_KEY: "mgs_test_abc…" };
    const { code, output } = await runToEnd(pasted, ["balance"]);
    expect(code).toBe(2);
    expect(output).toBe("The API key has a character that no key has. Copy it again.\n");
    const args = ["video", "a cat", ...VIDEO, "--idempotency-key", "order…"];
    const refused = await runToEnd(testEnv, args);
    expect([refused.code, refused.output]).toEqual([
      2,
      expect.stringContaining("--idempotency-key"),
    ]);
  });

  it("takes an unknown word for a mistake, never for a prompt, and says what may be meant", async () => {
    const before = await test.balance.retrieve();
    const cases: [string[], string][] = [
      [["lst"], "unknown command 'lst'\n(Did you mean list?)"],
      [["blance"], "(Did you mean balance?)"],
      [["a cat", ...VIDEO], "unknown"],
      [["generate", "a cat", ...VIDEO], "unknown"],
    ];
    for (const [args, expected] of cases) {
      const { code, output } = await runToEnd(testEnv, args);
      expect([code, output]).toEqual([2, expect.stringContaining(expected)]);
      expect(output).toContain('"media-generation --help" lists the commands.');
    }
    const { code, output } = await runToEnd(testEnv, ["video", "a cat", "--modle", "x"]);
    expect([code, output]).toEqual([2, expect.stringContaining("(Did you mean --model?)")]);
    expect(output).toContain('"media-generation video --help" lists its options.');
    expect((await test.balance.retrieve()).available).toBe(before.available);
  });

  it("exits with 3 if the service cannot be reached", async () => {
    const closed = { MEDIA_API_KEY: "mgs_live_x", PORT: String(await freePort()) };
    const { code, output } = await runToEnd(closed, ["video", "a cat", ...VIDEO]);
    expect(code).toBe(3);
    expect(output).toContain("ECONNREFUSED");
  });

  it("prints on Ctrl-C how to continue, and continues", async () => {
    const out = join(folder, "slow cat.mp4");
    const slow = ["video", "a cat", ...VIDEO, "--metadata", "simulate=slow:12", "--out", out];
    await using running = startProcess(MAIN, testEnv, slow);
    await running.says("processing");
    expect(await running.end("SIGINT")).toBe(130);
    const [, id = ""] =
      /get (vgen_\w+) --wait --output '.*slow cat\.mp4'/.exec(running.output()) ?? [];
    expect((await test.videos.retrieve(id)).status).toBe("processing");
    const early = await runToEnd(testEnv, ["get", id, "--out", out]);
    expect([early.code, early.output]).toEqual([
      2,
      expect.stringContaining(
        `It is processing. To wait for it: media-generation get ${id} --wait`,
      ),
    ]);
    const resumed = await runToEnd(testEnv, ["get", id, "--wait", "--out", out]);
    expect(resumed.code).toBe(0);
    expect((await stat(out)).size).toBeGreaterThan(0);
  });

  it("charges once for two runs with one idempotency key", async () => {
    const args = [
      "video",
      "a cat",
      ...VIDEO,
      "--idempotency-key",
      "one",
      "--out",
      join(folder, "one.mp4"),
    ];
    const before = await test.balance.retrieve();
    const first = await runToEnd(testEnv, args);
    expect(first.output).toContain("beta-3.0-video costs 500 Tokens; test balance ");
    expect(first.output).toContain("Charged 500 Tokens; ");
    const second = await runToEnd(testEnv, args);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(second.output).toContain("made before: nothing is charged again.\n");
    expect(second.output).toContain("Charged 500 Tokens when it was first made; ");
    expect(second.output).not.toContain("costs");
    const after = await test.balance.retrieve();
    expect(before.available - after.available).toBe(500);
  });

  it("prints the id of an image at once with --no-wait, and gets and cancels it by its id", async () => {
    await using receiver = await startReceiver();
    const model = ["--model", "gamma-image-3.0-pro"];
    const options = [...model, "--no-wait", "--webhook-url", receiver.url];
    const { code, output } = await runToEnd(testEnv, ["image", "a cat", ...options]);
    const [, id = ""] = /^(igen_\w+)$/m.exec(output) ?? [];
    expect([code, output]).toEqual([0, expect.stringContaining(`get ${id} --wait`)]);
    await receiver.has(1);
    const out = join(folder, "later.png");
    expect((await runToEnd(testEnv, ["get", id, "--wait", "--out", out])).code).toBe(0);
    expect((await stat(out)).size).toBeGreaterThan(0);
    const late = await runToEnd(testEnv, ["cancel", id]);
    expect([late.code, late.output]).toEqual([2, expect.stringContaining("has ended")]);
  });

  it("lists, shows, cancels and deletes generations, and saves the file of one that has ended", async () => {
    const metadata = { simulate: "slow:60" };
    const { id } = await test.videos.create({ model: "alpha-2.0", prompt: "a cat", metadata });
    const listed = await runToEnd(testEnv, ["list", "--status", "processing", "--limit", "1"]);
    expect(listed.code).toBe(0);
    expect(listed.output).toMatch(/\nThese are videos only\. Images: .* list images\n$/);
    await test.images.create({ model: "gamma-image-3.0-pro", prompt: "a cat" });
    const images = await runToEnd(testEnv, ["list", "images", "--json", "--limit", "1"]);
    const image = JSON.parse(images.output) as { id: string; status: string };
    expect(image).toMatchObject({ status: "success" });
    const shown = await runToEnd(testEnv, ["get", id]);
    expect(shown.output).toMatch(new RegExp(`^${id}  \\w+\n  model +alpha-2.0, test mode\n`));
    const asJson = await runToEnd(testEnv, ["get", id, "--json"]);
    expect(JSON.parse(asJson.output)).toMatchObject({ id, model: "alpha-2.0" });
    expect(await runToEnd(testEnv, ["cancel", id])).toMatchObject({
      code: 0,
      output: "canceled; its Tokens are restored\n",
    });
    const all = await runToEnd(testEnv, ["list", "videos", "--limit", "1"]);
    expect(all.output).toMatch(
      new RegExp(
        `^id +created +status +model +prompt\n${id}  \\S+Z  canceled  alpha-2.0  a cat\n$`,
      ),
    );
    const out = join(folder, "downloaded.png");
    expect(await runToEnd(testEnv, ["get", image.id, "--out", out])).toMatchObject({ code: 0 });
    expect((await stat(out)).size).toBeGreaterThan(0);
    for (const ended of [id, image.id])
      expect(await runToEnd(testEnv, ["delete", ended])).toEqual({ code: 0, output: "deleted\n" });
    await expect(test.videos.retrieve(id)).rejects.toMatchObject({ code: "gone" });
  });

  it("sends a picture from disk, by itself or for a create, and shows what it sent", async () => {
    const path = join(folder, "pic.png");
    await writeFile(path, makeImage("png"));
    const sent = await runToEnd(testEnv, ["upload", path, "--json"]);
    const file = JSON.parse(sent.output) as { id: string; url: string };
    expect(file).toMatchObject({ content_type: "image/png" });
    const shown = await runToEnd(testEnv, ["get", file.id, "--json"]);
    expect(JSON.parse(shown.output)).toMatchObject(file);
    expect(await runToEnd(testEnv, ["delete", file.id])).toMatchObject({ code: 0 });
    const args = ["video", "a cat", "--model", "alpha-2.0", "--image", path, "--no-wait"];
    const created = await runToEnd(testEnv, args);
    const [, id = ""] = /^(vgen_\w+)$/m.exec(created.output) ?? [];
    const { input } = await test.videos.retrieve(id);
    expect((await fetch(input.image_url ?? "")).headers.get("content-type")).toBe("image/png");
  });

  it("saves into a folder, which it makes, under the generation's id, also by the name that the option had before", async () => {
    const clips = join(folder, "clips");
    const args = ["image", "a cat", "--model", "gamma-image-3.0-pro"];
    const first = await runToEnd(testEnv, [...args, "--output", `${clips}/`]);
    expect(first.code).toBe(0);
    const second = await runToEnd(testEnv, [...args, "--out", clips]);
    expect(second.code).toBe(0);
    const ids = [first, second].map(({ output }) => /^igen_\w+$/m.exec(output)?.[0]);
    expect((await readdir(clips)).toSorted()).toEqual(ids.map((id) => `${id}.png`).toSorted());
    expect(first.output).toContain(join(clips, `${ids[0]}.png`));
  });

  it("says that a file is of another format than its name", async () => {
    const out = join(folder, "lighthouse.jpg");
    const args = ["image", "a lighthouse", "--model", "gamma-image-3.0-pro", "--out", out];
    const { code, output } = await runToEnd(testEnv, args);
    expect(code).toBe(0);
    expect(output).toContain("Saved, image/png, 1024 × 1024:\n");
    expect(output).toContain("Note: the file is image/png, whatever its name says.\n");
  });

  it("reads the prompt from the standard input", async () => {
    const streams = { stdout: { write: () => {} }, stderr: { write: () => {} } };
    const run = (stdin: string) => {
      const args = ["video", "-", "--model", "alpha-2.0", "--no-wait"];
      const input = Readable.from([Buffer.from(stdin)]);
      return runProgram(args, testEnv, { ...streams, stdin: input }, new AbortController().signal);
    };
    expect(await run("a cat\nin the snow\n")).toBe(0);
    const { data } = await test.videos.list({ limit: 1 });
    expect(data[0]?.input.prompt).toBe("a cat\nin the snow");
    expect(await run("\n")).toBe(2);
  });

  it("lists what was made for a user in a span of time, from a place in the list on", async () => {
    const made = {
      model: "alpha-2.0",
      prompt: `a\nvery ${"long ".repeat(9)}prompt`,
      end_user: "u 7",
    };
    const first = await test.videos.create(made);
    const second = await test.videos.create(made);
    const of = ["list", "videos", "--end-user", "u 7", "--created-after", "2026-01-01T00:00:00Z"];
    const { output } = await runToEnd(testEnv, of);
    expect(output).toMatch(
      new RegExp(`^${second.id} .*\n${first.id} .* a very (long ){6}lo…\n`, "m"),
    );
    const rest = await runToEnd(testEnv, [...of, "--after", second.id, "--json"]);
    expect(JSON.parse(rest.output)).toMatchObject({ id: first.id });
    const before = await runToEnd(testEnv, [...of, "--created-before", first.created_at]);
    expect(before.output).toBe("nothing found\n");
  });

  it("reads a picture from the standard input, and writes an image to the standard output", async () => {
    const written: Uint8Array[] = [];
    let text = "";
    const streams = {
      stdout: { write: (bytes: string | Uint8Array) => written.push(Buffer.from(bytes)) },
      stderr: { write: (line: string | Uint8Array) => (text += line) },
    };
    const picture = makeImage("png");
    const run = (...args: string[]) => {
      written.length = 0;
      const stdin = Readable.from([picture]);
      return runProgram(args, testEnv, { ...streams, stdin }, new AbortController().signal);
    };
    expect(await run("upload", "-", "--json")).toBe(0);
    expect(JSON.parse(Buffer.concat(written).toString())).toMatchObject({ bytes: picture.length });
    const image = ["image", "a cat", "--model", "gamma-image-3.0-pro", "--image", "-"];
    expect(await run(...image, "--output", "-")).toBe(0);
    expect(Buffer.concat(written).toString("latin1", 1, 4)).toBe("PNG");
    const [, id = ""] = /^(igen_\w+)$/m.exec(text) ?? [];
    const { input, output } = await test.images.retrieve(id);
    expect(input.image_urls).toHaveLength(1);
    expect(Buffer.concat(written)).toHaveLength(output[0]?.bytes ?? 0);
    await expect(stat("-")).rejects.toThrow("ENOENT");
  });

  it("names the generation in the error of a wait that was stopped", async () => {
    let stdout = "";
    const stop = new AbortController();
    const streams = {
      stdout: { write: (text: string) => (stdout += text) },
      stderr: { write: (text: string) => (text.startsWith("vgen_") ? stop.abort() : undefined) },
    };
    const args = ["video", "a cat", ...VIDEO, "--metadata", "simulate=slow:60", "--json"];
    expect(await runProgram(args, testEnv, streams, stop.signal)).toBe(130);
    const { error } = JSON.parse(stdout) as { error: { details: { generation_id: string } } };
    expect(error).toMatchObject({ code: "stopped" });
    expect(await test.videos.cancel(error.details.generation_id)).toMatchObject({
      status: "canceled",
    });
  });

  it("prints only the generation with --json, and its id at once with --no-wait", async () => {
    const stdout: string[] = [];
    const streams = {
      stdout: { write: (text: string) => stdout.push(text) },
      stderr: { write: () => {} },
    };
    const args = ["video", "a cat", "--model", "alpha-2.0"];
    const signal = new AbortController().signal;
    await runProgram([...args, "--json"], testEnv, streams, signal);
    expect(JSON.parse(stdout.join(""))).toMatchObject({ status: "success" });
    stdout.length = 0;
    await runProgram([...args, "--no-wait"], testEnv, streams, signal);
    expect(stdout.join("")).toMatch(/^vgen_\w+\n$/);
  });

  it("uses the demo account's key of test mode where no other is given", async () => {
    await mkdir(join(folder, "data", "demo"), { recursive: true });
    await writeFile(join(folder, "data", "demo", "test-key"), `${testEnv["MEDIA_API_KEY"]}\n`);
    const demo = {
      MEDIA_BASE_URL: env["MEDIA_BASE_URL"] ?? "",
      DATA_DIR: join(folder, "data"),
    };
    const { code, output } = await runToEnd(demo, ["balance"]);
    expect([code, output]).toEqual([0, expect.stringContaining("test mode: ")]);
  });

  it("delivers the events of videos that end to a local address, signed, once each", async () => {
    await using receiver = await startReceiver();
    // This test has an account of its own: videos that others have left open would end here, too.
    const key = await (await newCustomer(service)).key("test");
    const own = clientOf(service.url, key);
    const ownEnv = { ...testEnv, MEDIA_API_KEY: key };
    const stop = new AbortController();
    let output = "";
    const stream = { write: (text: string) => (output += text) };
    const old = await own.videos.create({ model: "alpha-2.0", prompt: "before" });
    await own.videos.wait(old.id, { pollMs: 100 });
    const metadata = { simulate: "slow:5" };
    const open = await own.videos.create({ model: "alpha-2.0", prompt: "open", metadata });
    // A port alone is one of this machine.
    const args = ["listen", "--forward-to", new URL(receiver.url).port];
    const listening = runProgram(args, ownEnv, { stdout: stream, stderr: stream }, stop.signal);
    await expect.poll(() => output).toContain("Signing secret: whsec_");
    const failing = { simulate: "fail:content_rejected" };
    const failed = await own.videos.create({ model: "alpha-2.0", prompt: "b", metadata: failing });
    const image = await own.images.createAndWait({ model: "gamma-image-3.0-pro", prompt: "d" });
    await receiver.has(3);
    const secret = (await runToEnd(ownEnv, ["listen", "--print-secret"])).output.trim();
    expect(output).toContain(secret);
    const events = await Promise.all(
      receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, secret)),
    );
    const byId = new Map(events.map((event) => [(event.data as Video).id, event]));
    expect(byId.get(open.id)?.type).toBe("video.generation.completed");
    expect(byId.get(failed.id)?.type).toBe("video.generation.failed");
    expect(byId.get(image.id)).toMatchObject({ type: "image.generation.completed", data: image });
    expect(byId.get(open.id)?.data).toEqual(await own.videos.retrieve(open.id));
    expect(output).toMatch(new RegExp(`completed  ${open.id} → 200\n`));
    // What comes later comes alone: nothing is sent twice, and nothing that had ended before.
    const last = await own.videos.create({ model: "alpha-2.0", prompt: "c", metadata: failing });
    await receiver.has(4);
    stop.abort();
    expect(await listening).toBe(0);
    expect(receiver.received).toHaveLength(4);
    expect(output).toContain(last.id);
    expect(output).not.toContain(old.id);
  });
});
