/** The command line against the whole service: making, what the account has, and the faults of all commands. */
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { verifyWebhook, type Video } from "../../../clients/typescript/index.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { forTests } from "../../support/for-tests.ts";
import { makeImage } from "../../support/make-media.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startProcess } from "../../support/process.ts";
import { sharedService } from "../../support/shared-service.ts";
import { folderForTests } from "../../support/temporary-folder.ts";
import { beginCommand, type Environment } from "./begin-command.ts";

const MAIN = "clients/typescript/cli/main.ts";
const VIDEO = ["--model", "beta-3.0-video"];

const runToEnd = (...of: Parameters<typeof beginCommand>) => beginCommand(...of).ended;

const folder = folderForTests();
const service = forTests(sharedService);
const customer = forTests(() => newCustomer(service, 1_000));
const envOf = async (mode: "live" | "test"): Promise<Environment> => ({
  MEDIA_BASE_URL: `${service.url}/v1`,
  MEDIA_API_KEY: await customer.key(mode),
});
const env = forTests(() => envOf("live"));
const testEnv = forTests(() => envOf("test"));
/** The client of test mode. */
const test = forTests(() => clientOf(service.url, testEnv["MEDIA_API_KEY"] ?? ""));

it("saves a video, shows the price before and the charge after, and charges once for a key", async () => {
  const out = join(folder, "cat.mp4");
  const args = ["video", "a cat in the rain", ...VIDEO, "--duration", "2", "--output", out];
  const run = () => runToEnd(env, [...args, "--idempotency-key", "one"]);
  const { code, output } = await run();
  expect(code).toBe(0);
  expect(output).toContain("beta-3.0-video costs 200 Tokens; balance 1,000 Tokens.");
  expect(output).toContain("Charged 200 Tokens; 800 Tokens left.");
  expect(output).toContain("success 100 %\n");
  expect(output).toContain(`${out}\n`);
  const bytes = await readFile(out);
  expect(bytes.subarray(4, 8).toString()).toBe("ftyp");
  expect(await readdir(folder)).toEqual(["cat.mp4"]);
  const second = await run();
  expect(second.code).toBe(0);
  expect(second.output).toContain("made before: nothing is charged again.\n");
  expect(second.output).toContain("Charged 200 Tokens when it was first made; 800 Tokens left.");
  expect(second.output).not.toContain("costs");
});

it("prints on Ctrl-C how to continue and how to cancel, and does not wait unless it is told to", async () => {
  const out = join(folder, "slow cat.mp4");
  const hanging = ["video", "a cat", ...VIDEO, "--metadata", "simulate=hang", "--output", out];
  await using running = startProcess(MAIN, testEnv, [...hanging, "--json"]);
  await running.says("processing");
  expect(await running.end("SIGINT")).toBe(130);
  const [, id = ""] =
    /get (vgen_\w+) --wait --output '.*slow cat\.mp4'/.exec(running.output()) ?? [];
  expect(running.output()).toContain(`media-generation cancel ${id}\n`);
  const [json = ""] = /^\{"error".*$/m.exec(running.output()) ?? [];
  expect(JSON.parse(json)).toMatchObject({
    error: { code: "stopped", details: { generation_id: id } },
  });
  expect((await test.videos.retrieve(id)).status).toBe("processing");
  const early = await runToEnd(testEnv, ["get", id, "--output", out]);
  expect([early.code, early.output]).toEqual([
    2,
    expect.stringContaining(`It is processing. To wait for it: media-generation get ${id} --wait`),
  ]);
  await test.videos.cancel(id);
});

it("prints the id of an image at once with --no-wait, and saves it later into a folder, which it makes, under its id", async () => {
  await using receiver = await startReceiver();
  const model = ["--model", "gamma-image-3.0-pro"];
  const options = [...model, "--no-wait", "--webhook-url", receiver.url];
  const { code, output } = await runToEnd(testEnv, ["image", "a cat", ...options]);
  const [, id = ""] = /^(igen_\w+)$/m.exec(output) ?? [];
  expect([code, output]).toEqual([0, expect.stringContaining(`get ${id} --wait`)]);
  await receiver.has(1);
  const clips = join(folder, "clips");
  const saved = await runToEnd(testEnv, ["get", id, "--wait", "--output", `${clips}/`]);
  expect([saved.code, saved.output]).toEqual([0, expect.stringContaining(`${id}.png\n`)]);
  expect(await readdir(clips)).toEqual([`${id}.png`]);
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
  const files = await runToEnd(testEnv, ["list", "files", "--limit", "1"]);
  expect(files.output).toMatch(new RegExp(`${file.id}  .* image/png, .*  ${file.url}\\n$`));
  expect(await runToEnd(testEnv, ["delete", file.id, "--yes"])).toMatchObject({ code: 0 });
  const args = ["video", "a cat", "--model", "alpha-2.0", "--image", path, "--no-wait"];
  const created = await runToEnd(testEnv, args);
  const [, id = ""] = /^(vgen_\w+)$/m.exec(created.output) ?? [];
  const { input } = await test.videos.retrieve(id);
  expect((await fetch(input.image_url ?? "")).headers.get("content-type")).toBe("image/png");
});

it("reads the prompt from the standard input", async () => {
  const run = async (text: string) => {
    const args = ["video", "-", "--model", "alpha-2.0", "--no-wait"];
    return (await runToEnd(testEnv, args, Readable.from([Buffer.from(text)]))).code;
  };
  expect(await run("a cat\nin the snow\n")).toBe(0);
  const { data } = await test.videos.list({ limit: 1 });
  expect(data[0]?.input.prompt).toBe("a cat\nin the snow");
  expect(await run("\n")).toBe(2);
});

it("reads a picture from the standard input, and writes an image to the standard output", async () => {
  const picture = makeImage("png");
  const run = (...args: string[]) => runToEnd(testEnv, args, Readable.from([picture]));
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

it("delivers the events of videos that end to a local address, signed, once each", async () => {
  await using receiver = await startReceiver();
  // This test has an account of its own: videos that others have left open would end here, too.
  const key = await (await newCustomer(service)).key("test");
  const own = clientOf(service.url, key);
  const ownEnv = { ...testEnv, MEDIA_API_KEY: key };
  const old = await own.videos.create({ model: "alpha-2.0", prompt: "before" });
  await own.videos.wait(old.id, { pollMs: 100 });
  const metadata = { simulate: "hang" };
  const open = await own.videos.create({ model: "alpha-2.0", prompt: "open", metadata });
  // A port alone is one of this machine.
  const args = ["listen", "--forward-to", `${new URL(receiver.url).port}/webhooks`];
  await using listening = beginCommand(ownEnv, args);
  await expect.poll(listening.output).toContain("Signing secret: whsec_");
  const failing = { simulate: "fail:content_rejected" };
  const failed = await own.videos.create({ model: "alpha-2.0", prompt: "b", metadata: failing });
  const image = await own.images.createAndWait({ model: "gamma-image-3.0-pro", prompt: "d" });
  await own.videos.cancel(open.id);
  await receiver.has(3);
  const secret = (await runToEnd(ownEnv, ["listen", "--print-secret"])).output.trim();
  expect(listening.output()).toContain(secret);
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
  await listening[Symbol.asyncDispose]();
  const { code, output } = await listening.ended;
  expect(code).toBe(0);
  expect(receiver.received).toHaveLength(4);
  const [, eventId] = open.id.split("_");
  const line = `  video.generation.canceled  evt_${eventId}  ${open.id} → 200\n`;
  expect(output).toMatch(new RegExp(`:\\d\\d${line}`));
  // Named, it is sent again, and nothing else.
  const again = await runToEnd(ownEnv, ["listen", open.id, ...args.slice(1)]);
  expect([again.code, again.output.endsWith(line)]).toEqual([0, true]);
  expect(receiver.received[4]?.headers["webhook-id"]).toBe(`evt_${eventId}`);
  expect(receiver.received[4]?.body).toEqual(
    receiver.received.find(({ headers }) => headers["webhook-id"] === `evt_${eventId}`)?.body,
  );
  expect(receiver.received).toHaveLength(5);
  const untaken = await runToEnd(ownEnv, ["listen", open.id, "--forward-to", "127.0.0.1:1"]);
  expect([untaken.code, untaken.output]).toEqual([1, expect.stringContaining("→ no answer")]);
  expect(output).toContain(last.id);
  expect(output).not.toContain(old.id);
});

it("shows the models and the balance, also as JSON", async () => {
  const model = await runToEnd(testEnv, ["models", "alpha-2.0", "--json"]);
  expect(JSON.parse(model.output)).toMatchObject({ id: "alpha-2.0", kind: "video" });
  const balance = await runToEnd(testEnv, ["balance"]);
  expect(balance.output).toMatch(/^test mode: [\d,]+ Tokens available, \d+ Tokens reserved\n/);
  const json = await runToEnd(testEnv, ["balance", "--json"]);
  expect(JSON.parse(json.output)).toMatchObject({ object: "balance", mode: "test" });
});

it("shows a delivery, and repeats it", async () => {
  await using receiver = await startReceiver();
  const request = { model: "alpha-2.0", prompt: "a cat", webhook_url: receiver.url };
  const { id } = await test.videos.createAndWait(request);
  await receiver.has(1);
  const { data } = await test.deliveries.list({ generation_id: id });
  const delivery = data[0]?.id ?? "";
  const again = await runToEnd(testEnv, ["redeliver", delivery]);
  expect([again.code, again.output]).toEqual([0, expect.stringContaining(`get ${delivery}\n`)]);
  await receiver.has(2);
  const isDelivered = async () => (await test.deliveries.retrieve(delivery)).status;
  await expect.poll(isDelivered).toBe("delivered");
  const shown = await runToEnd(testEnv, ["get", delivery]);
  expect(shown.output).toMatch(/^ {2}attempt +[\d-]{10} \d\d:\d\d:\d\d {2}200$/m);
});

it("lists, shows, cancels and deletes generations, and saves the file of one that has ended", async () => {
  const metadata = { simulate: "slow:60" };
  const { id } = await test.videos.create({ model: "alpha-2.0", prompt: "a cat", metadata });
  await test.images.create({ model: "gamma-image-3.0-pro", prompt: "a cat" });
  const images = await runToEnd(testEnv, ["list", "images", "--json", "--limit", "1"]);
  const image = JSON.parse(images.output) as { id: string; status: string };
  expect(image).toMatchObject({ status: "success" });
  const asJson = await runToEnd(testEnv, ["get", id, "--json"]);
  expect(JSON.parse(asJson.output)).toMatchObject({ id, model: "alpha-2.0" });
  expect(await runToEnd(testEnv, ["cancel", id])).toMatchObject({
    code: 0,
    output: "canceled; its Tokens are restored\n",
  });
  expect((await runToEnd(testEnv, ["get", id])).output).toMatch(/^ {2}charged +0 Tokens$/m);
  const since = ["--created-after", "2026-01-01", "-m", "alpha-2.0"];
  const all = await runToEnd(testEnv, ["list", "videos", "--limit", "1", ...since]);
  expect(all.output).toMatch(new RegExp(`^${id} .* canceled  alpha-2.0  a cat$`, "m"));
  const out = join(folder, "downloaded.png");
  expect(await runToEnd(testEnv, ["get", image.id, "--output", out])).toMatchObject({ code: 0 });
  expect((await stat(out)).size).toBeGreaterThan(0);
  const removed = await runToEnd(testEnv, ["delete", image.id, "--yes"]);
  expect(removed).toMatchObject({ code: 0, output: "deleted\n" });
  const asked = (answer: string) => {
    const stdin = Object.assign(Readable.from([answer]), { isTTY: true });
    return runToEnd(testEnv, ["delete", id], stdin);
  };
  expect(await asked("\n")).toMatchObject({
    code: 0,
    output: `Delete ${id} for good? [y/N]\nNothing is deleted.\n`,
  });
  expect((await test.videos.retrieve(id)).id).toBe(id);
  expect(await asked("y\n")).toMatchObject({ code: 0 });
  await expect(test.videos.retrieve(id)).rejects.toMatchObject({ code: "gone" });
});

it("exits with 1 and the reason if the generation fails, and charges nothing", async () => {
  const failing = ["--metadata", "simulate=fail:content_rejected"];
  const { code, output } = await runToEnd(testEnv, ["video", "a cat", ...VIDEO, ...failing]);
  expect(code).toBe(1);
  expect(output).toContain("failed (content_rejected): ");
  expect(output).toContain("Nothing is charged");
});

it("says every fault and what to do, exits with its code, and with --json prints it in one line", async () => {
  const empty = join(folder, "empty.png");
  await writeFile(empty, "");
  const video = ["video", "a cat", ...VIDEO];
  const unreachable = { ...env, MEDIA_BASE_URL: `http://127.0.0.1:${await freePort()}` };
  const page = { ...env, MEDIA_BASE_URL: `${service.url}/dashboard` };
  const withoutKey = { MEDIA_BASE_URL: `${service.url}/v1`, DATA_DIR: folder };
  const faults: [string, number, [string[], string, Environment?][]][] = [
    [
      "usage_error",
      2,
      [
        [["--bogus"], "unknown option"],
        [["video", "a cat"], "alpha-2.0                video  210 Tokens per 5 seconds\n"],
        [[...video, "--duration", "many"], "It must be a whole number."],
        [[...video, "--image", join(folder, "none.png")], "Cannot read the file"],
        [[...video, "--image", empty], `The file ${empty} is empty.\n`],
        [["upload", empty], `The file ${empty} is empty.\n`],
        [["upload", folder], `${folder} is no file that can be read.\n`],
        [[...video, "--output", join(folder, "none", "cat.mp4")], "Cannot write to the folder"],
        [["delete", "vgen_1"], "To delete vgen_1 for good, add --yes."],
        [["redeliver", "evt_1"], "begin with whd_."],
        [["balance"], "set MEDIA_API_KEY", withoutKey],
        [["balance"], "The API key has a character", { ...env, MEDIA_API_KEY: "Bearer a" }],
      ],
    ],
    [
      "model_not_found",
      2,
      [[["video", "a", "--model", "delta-9"], "media-generation models lists them."]],
    ],
    ["generation_not_found", 2, [[["get", "vgen_nonsense"], "such as vgen_"]]],
    [
      "connection_error",
      3,
      [
        [["balance"], "cannot be reached: ECONNREFUSED\nIf you", unreachable],
        [["balance"], "Check --base-url or MEDIA_BASE_URL: the base", page],
      ],
    ],
  ];
  const all = faults.flatMap(([code, exit, runs]) =>
    runs.map(([args, said, given = env]) => ({ code, exit, args, said, given })),
  );
  for (const { code, exit, args, said, given } of all) {
    const ran = await runToEnd(given, [...args, "--json"]);
    const line = String(ran.stdout);
    const { error } = JSON.parse(line) as { error: { code: string; message: string } };
    expect([ran.code, error.code]).toEqual([exit, code]);
    expect([line, error.message]).toEqual([
      expect.stringMatching(/^[^\n]+\n$/),
      expect.stringMatching(/^[^\n]+$/),
    ]);
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).not.toContain("Usage:");
  }
  const none = await runToEnd(env, ["--json"]);
  expect(String(none.stdout)).toContain('"No command is given."');
  const unpriced = await runToEnd(env, [...video, "--duration", "31"]);
  expect(unpriced).toMatchObject({ code: 2, output: expect.stringMatching(/^--duration/) });
  const needed = await runToEnd(env, ["video", "a", "--model", "beta-2.7-image-to-video"]);
  expect(needed.stderr).toContain("needs --image: a file or a URL.");
  const five = ["image", "a cat", "--model", "gamma-image-3.0-pro", "--n", "5"];
  const refused = await runToEnd(env, five);
  expect(refused.stderr).toMatch(/^--n: gamma-image-3\.0-pro takes 1 to 4\.\nCode /);
  const two = ["image", "a cat", "--model", "gamma-image-3.0-pro", "--n", "2", "-o", "-"];
  expect((await runToEnd(env, two)).output).toContain("--n must be 1");
});
