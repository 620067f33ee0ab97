/** The commands for what the account has and has made, and the faults of all, against the whole service. */
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../../clients/typescript/index.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { startReceiver } from "../../support/receiver.ts";
import { folderForTests } from "../../support/temporary-folder.ts";
import { customerOfCommands, runToEnd, type Environment } from "./run-command.ts";

const VIDEO = ["--model", "beta-3.0-video"];

describe("the command line", () => {
  const folder = folderForTests();
  let test: Client;
  let env: Environment;
  let testEnv: Environment;
  let baseUrl: string;
  beforeAll(async () => {
    ({ env, test, testEnv } = await customerOfCommands());
    ({ MEDIA_BASE_URL: baseUrl = "" } = env);
  });

  it("shows the models and the balance, also as JSON", async () => {
    const models = await runToEnd(testEnv, ["models"]);
    expect(models.output).toContain("gamma-image-3.0-pro      image  42 Tokens per image\n");
    const model = await runToEnd(testEnv, ["models", "alpha-2.0", "--json"]);
    expect(JSON.parse(model.output)).toMatchObject({ id: "alpha-2.0", kind: "video" });
    const one = await runToEnd(testEnv, ["models", "alpha-2.0"]);
    expect(one.output).toMatch(/^alpha-2\.0 {2}video\n {2}price +210 Tokens per 5 seconds\n/);
    expect(one.output).toMatch(/^ {2}--duration +5 to 15 seconds, in steps of 5; default 5$/m);
    const { parameters } = JSON.parse(model.output) as { parameters: object };
    for (const field of Object.keys(parameters))
      expect(one.output).toMatch(
        new RegExp(`^  --${field.replace("_url", "").replaceAll("_", "-")} `, "m"),
      );
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
    const shown = await runToEnd(testEnv, ["get", delivery]);
    expect(shown.output).toMatch(/^whd_\w+ {2}\w+\n {2}event +video\.generation\.completed/);
  });

  it("lists, shows, cancels and deletes generations, and saves the file of one that has ended", async () => {
    const metadata = { simulate: "slow:60" };
    const { id } = await test.videos.create({ model: "alpha-2.0", prompt: "a cat", metadata });
    const none = await runToEnd(testEnv, ["list", "--model", "none"]);
    expect(none).toMatchObject({ code: 0, output: expect.stringMatching(/^nothing found\n/) });
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
    const since = ["--created-after", "2026-01-01", "-m", "alpha-2.0"];
    const all = await runToEnd(testEnv, ["list", "videos", "--limit", "1", ...since]);
    expect(all.output).toMatch(
      new RegExp(
        `^id +created +status +model +prompt\n${id}  2\\d{3}-\\d\\d-\\d\\d \\d\\d:\\d\\d  canceled  alpha-2.0  a cat\n$`,
      ),
    );
    const out = join(folder, "downloaded.png");
    expect(await runToEnd(testEnv, ["get", image.id, "--output", out])).toMatchObject({ code: 0 });
    expect((await stat(out)).size).toBeGreaterThan(0);
    const removed = await runToEnd(testEnv, ["delete", image.id, "--yes"]);
    expect(removed).toMatchObject({ code: 0, output: "deleted\n" });
    const asked = (answer: string) => {
      const stdin = Object.assign(Readable.from([answer]), { isTTY: true });
      return runToEnd(testEnv, ["delete", id], { stdin });
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
    const page = { ...env, MEDIA_BASE_URL: baseUrl.replace("/v1", "/dashboard") };
    const withoutKey = { MEDIA_BASE_URL: baseUrl, DATA_DIR: folder };
    const faults: [string, number, [string[], string, Environment?][]][] = [
      [
        "usage_error",
        2,
        [
          [["--bogus"], "unknown option"],
          [["blance"], "unknown command 'blance'\n(Did you mean balance?)"],
          [["video", "a cat"], "alpha-2.0                video  210 Tokens per 5 seconds\n"],
          [[...video, "--duration", "many"], "It must be a whole number."],
          [[...video, "--image", join(folder, "none.png")], "Cannot read the file"],
          [[...video, "--image", empty], `The file ${empty} is empty.\n`],
          [["upload", empty], `The file ${empty} is empty.\n`],
          [[...video, "--output", join(folder, "none", "cat.mp4")], "Cannot write to the folder"],
          [["delete", "vgen_1"], "To delete vgen_1 for good, add --yes."],
          [["list", "movies"], "Allowed choices are videos, images."],
          [["balance", "--base-url", "localhost:8080"], "--base-url is not a URL"],
          [["balance"], "set MEDIA_API_KEY", withoutKey],
          [["balance"], "The API key has a character", { ...env, MEDIA_API_KEY: "Bearer a" }],
        ],
      ],
      ["model_not_found", 2, [[["video", "a", "--model", "delta-9"], 'no model "delta-9"']]],
      ["generation_not_found", 2, [[["get", "vgen_nonsense"], "one looks like vgen_"]]],
      [
        "connection_error",
        3,
        [
          [["balance"], "cannot be reached: ECONNREFUSED\nIf you", unreachable],
          [["balance"], "Check --base-url: the base of the API ends in", page],
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
    const two = ["image", "a cat", "--model", "gamma-image-3.0-pro", "--n", "2", "-o", "-"];
    expect((await runToEnd(env, two)).output).toContain("--n must be 1");
  });
});
