/** The commands that make videos and images, against the whole service. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, it } from "vitest";
import { verifyWebhook, type Client, type Video } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { makeImage } from "../../support/make-media.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startProcess } from "../../support/process.ts";
import type { SharedService } from "../../support/shared-service.ts";
import { folderForTests } from "../../support/temporary-folder.ts";
import { customerOfCommands, runToEnd, type Environment } from "./run-command.ts";

const MAIN = "clients/typescript/cli/main.ts";
const VIDEO = ["--model", "beta-3.0-video"];

describe("the command line", () => {
  const folder = folderForTests();
  let service: SharedService;
  let env: Environment;
  let test: Client;
  let testEnv: Environment;
  beforeAll(async () => void ({ service, env, test, testEnv } = await customerOfCommands()));

  it("saves a video, shows the price before and the charge after, and exits with 0", async () => {
    const out = join(folder, "cat.mp4");
    const args = ["video", "a cat in the rain", ...VIDEO, "--duration", "2", "--output", out];
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

  it("prints on Ctrl-C how to continue and how to cancel, and does not wait unless it is told to", async () => {
    const out = join(folder, "slow cat.mp4");
    const hanging = ["video", "a cat", ...VIDEO, "--metadata", "simulate=hang", "--output", out];
    await using running = startProcess(MAIN, testEnv, hanging);
    await running.says("processing");
    expect(await running.end("SIGINT")).toBe(130);
    const [, id = ""] =
      /get (vgen_\w+) --wait --output '.*slow cat\.mp4'/.exec(running.output()) ?? [];
    expect(running.output()).toContain(`media-generation cancel ${id}\n`);
    expect((await test.videos.retrieve(id)).status).toBe("processing");
    const early = await runToEnd(testEnv, ["get", id, "--output", out]);
    expect([early.code, early.output]).toEqual([
      2,
      expect.stringContaining(
        `It is processing. To wait for it: media-generation get ${id} --wait`,
      ),
    ]);
    await test.videos.cancel(id);
  });

  it("charges once for two runs with one idempotency key", async () => {
    const args = [
      "video",
      "a cat",
      ...VIDEO,
      "--idempotency-key",
      "one",
      "--output",
      join(folder, "one.mp4"),
    ];
    // An account of its own: what other tests cancel is restored a moment later.
    const key = await (await newCustomer(service)).key("test");
    const own = clientOf(service.url, key);
    const ownEnv = { ...testEnv, MEDIA_API_KEY: key };
    const before = await own.balance.retrieve();
    const first = await runToEnd(ownEnv, args);
    expect(first.output).toContain("beta-3.0-video costs 500 Tokens; test balance ");
    expect(first.output).toContain("Charged 500 Tokens; ");
    const second = await runToEnd(ownEnv, args);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(second.output).toContain("made before: nothing is charged again.\n");
    expect(second.output).toContain("Charged 500 Tokens when it was first made; ");
    expect(second.output).not.toContain("costs");
    const after = await own.balance.retrieve();
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
    expect((await runToEnd(testEnv, ["get", id, "--wait", "--output", out])).code).toBe(0);
    expect((await stat(out)).size).toBeGreaterThan(0);
    const late = await runToEnd(testEnv, ["cancel", id]);
    expect([late.code, late.output]).toEqual([2, expect.stringContaining("has ended")]);
  });

  it("sends a picture from disk, by itself or for a create, and shows what it sent", async () => {
    const path = join(folder, "pic.png");
    await writeFile(path, makeImage("png"));
    const sent = await runToEnd(testEnv, ["upload", path, "--json"]);
    const file = JSON.parse(sent.output) as { id: string; url: string };
    expect(file).toMatchObject({ content_type: "image/png" });
    const shown = await runToEnd(testEnv, ["get", file.id, "--json"]);
    expect(JSON.parse(shown.output)).toMatchObject(file);
    expect(await runToEnd(testEnv, ["delete", file.id, "--yes"])).toMatchObject({ code: 0 });
    const args = ["video", "a cat", "--model", "alpha-2.0", "--image", path, "--no-wait"];
    const created = await runToEnd(testEnv, args);
    const [, id = ""] = /^(vgen_\w+)$/m.exec(created.output) ?? [];
    const { input } = await test.videos.retrieve(id);
    expect((await fetch(input.image_url ?? "")).headers.get("content-type")).toBe("image/png");
  });

  it("saves into a folder, which it makes, under the generation's id", async () => {
    const clips = join(folder, "clips");
    const args = ["image", "a cat", "--model", "gamma-image-3.0-pro"];
    const { code, output } = await runToEnd(testEnv, [...args, "--output", `${clips}/`]);
    expect(code).toBe(0);
    const [id] = /^igen_\w+$/m.exec(output) ?? [];
    expect(await readdir(clips)).toEqual([`${id}.png`]);
    expect(output).toContain(join(clips, `${id}.png`));
  });

  it("reads the prompt from the standard input", async () => {
    const run = async (text: string) => {
      const args = ["video", "-", "--model", "alpha-2.0", "--no-wait"];
      return (await runToEnd(testEnv, args, { stdin: Readable.from([Buffer.from(text)]) })).code;
    };
    expect(await run("a cat\nin the snow\n")).toBe(0);
    const { data } = await test.videos.list({ limit: 1 });
    expect(data[0]?.input.prompt).toBe("a cat\nin the snow");
    expect(await run("\n")).toBe(2);
  });

  it("reads a picture from the standard input, and writes an image to the standard output", async () => {
    const picture = makeImage("png");
    const run = (...args: string[]) => runToEnd(testEnv, args, { stdin: Readable.from([picture]) });
    const { stdout } = await run("upload", "-", "--json");
    expect(JSON.parse(String(stdout))).toMatchObject({ bytes: picture.length });
    const image = ["image", "a cat", "--model", "gamma-image-3.0-pro", "--image", "-"];
    const made = await run(...image, "--output", "-");
    expect([made.code, made.stdout.toString("latin1", 1, 4)]).toEqual([0, "PNG"]);
    const [, id = ""] = /^(igen_\w+)$/m.exec(made.stderr) ?? [];
    const { input, output } = await test.images.retrieve(id);
    expect(input.image_urls).toHaveLength(1);
    expect(made.stdout).toHaveLength(output[0]?.bytes ?? 0);
    await expect(stat("-")).rejects.toThrow("ENOENT");
  });

  it("names the generation in the error of a wait that was stopped", async () => {
    const stop = new AbortController();
    const args = ["video", "a cat", ...VIDEO, "--metadata", "simulate=slow:60", "--json"];
    const { code, stdout } = await runToEnd(testEnv, args, {
      signal: stop.signal,
      onError: (text) => void (text.startsWith("vgen_") && stop.abort()),
    });
    expect(code).toBe(130);
    const { error } = JSON.parse(String(stdout)) as {
      error: { details: { generation_id: string } };
    };
    expect(error).toMatchObject({ code: "stopped" });
    expect(await test.videos.cancel(error.details.generation_id)).toMatchObject({
      status: "canceled",
    });
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
    let said = "";
    const old = await own.videos.create({ model: "alpha-2.0", prompt: "before" });
    await own.videos.wait(old.id, { pollMs: 100 });
    const metadata = { simulate: "hang" };
    const open = await own.videos.create({ model: "alpha-2.0", prompt: "open", metadata });
    // A port alone is one of this machine.
    const args = ["listen", "--forward-to", new URL(receiver.url).port];
    const listening = runToEnd(ownEnv, args, {
      signal: stop.signal,
      onError: (text) => void (said += text),
    });
    await expect.poll(() => said).toContain("Signing secret: whsec_");
    const failing = { simulate: "fail:content_rejected" };
    const failed = await own.videos.create({ model: "alpha-2.0", prompt: "b", metadata: failing });
    const image = await own.images.createAndWait({ model: "gamma-image-3.0-pro", prompt: "d" });
    await own.videos.cancel(open.id);
    await receiver.has(3);
    const secret = (await runToEnd(ownEnv, ["listen", "--print-secret"])).output.trim();
    expect(said).toContain(secret);
    const events = await Promise.all(
      receiver.received.map(({ body, headers }) => verifyWebhook(body, headers, secret)),
    );
    const byId = new Map(events.map((event) => [(event.data as Video).id, event]));
    expect(byId.get(open.id)?.type).toBe("video.generation.canceled");
    expect(byId.get(failed.id)?.type).toBe("video.generation.failed");
    expect(byId.get(image.id)).toMatchObject({ type: "image.generation.completed", data: image });
    expect(byId.get(open.id)?.data).toEqual(await own.videos.retrieve(open.id));
    // What comes later comes alone: nothing is sent twice, and nothing that had ended before.
    const last = await own.videos.create({ model: "alpha-2.0", prompt: "c", metadata: failing });
    await receiver.has(4);
    stop.abort();
    const { code, output } = await listening;
    expect(code).toBe(0);
    expect(receiver.received).toHaveLength(4);
    expect(output).toMatch(new RegExp(`canceled  ${open.id} → 200\n`));
    expect(output).toContain(last.id);
    expect(output).not.toContain(old.id);
  });
});
