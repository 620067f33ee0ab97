/** The commands for what the account has and has made, and errors as JSON, against the whole service. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../../../clients/typescript/cli/program.ts";
import type { Client } from "../../../clients/typescript/index.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { startReceiver } from "../../support/receiver.ts";
import { folderForTests } from "../../support/temporary-folder.ts";
import { customerOfCommands, runToEnd, type Environment } from "./run-command.ts";

describe("the command line", () => {
  const folder = folderForTests();
  let test: Client;
  let testEnv: Environment;
  beforeAll(async () => void ({ test, testEnv } = await customerOfCommands()));

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
    expect(one.output).toMatch(/^ {2}also +--negative-prompt, .*--metadata$/m);
    const images = await runToEnd(testEnv, ["models", "--kind", "image"]);
    expect(images.output).toBe("gamma-image-3.0-pro  image  42 Tokens per image\n");
    const image = await runToEnd(testEnv, ["models", "gamma-image-3.0-pro"]);
    expect(image.output).toMatch(/^ {2}--n +at most 4$/m);
    expect(image.output).toMatch(/^ {2}price +42 .*; 2K 84 Tokens; each --image 21 Tokens more$/m);
    const balance = await runToEnd(testEnv, ["balance"]);
    expect(balance.output).toMatch(/^test mode: [\d,]+ Tokens available, \d+ Tokens reserved\n/);
    const json = await runToEnd(testEnv, ["balance", "--json"]);
    expect(JSON.parse(json.output)).toMatchObject({ object: "balance", mode: "test" });
  });

  it("prints with --json an error for every fault of its own, in one line with a code", async () => {
    const run = async (env: Record<string, string>, args: string[], signal?: AbortSignal) => {
      let stdout = "";
      let stderr = "";
      const streams = {
        stdout: { write: (text: string) => (stdout += text) },
        stderr: { write: (text: string) => (stderr += text) },
      };
      const stop = signal ?? new AbortController().signal;
      const code = await runProgram([...args, "--json"], env, streams, stop);
      const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
      expect(stdout.trimEnd()).not.toContain("\n");
      expect(error.message).toMatch(/^[^\n]+$/);
      expect(stderr).not.toBe("");
      return [code, error.code, error.message];
    };
    const unreachable = { ...testEnv, MEDIA_BASE_URL: `http://127.0.0.1:${await freePort()}` };
    const { MEDIA_BASE_URL = "", ...keyOnly } = testEnv;
    const page = { ...keyOnly, MEDIA_BASE_URL: MEDIA_BASE_URL.replace("/v1", "/dashboard") };
    const cases: [Record<string, string>, string[], number, string, string][] = [
      [testEnv, [], 2, "usage_error", "No command is given."],
      [testEnv, ["blance"], 2, "usage_error", "unknown command 'blance' (Did you mean balance?)"],
      [testEnv, ["video", "a"], 2, "usage_error", "Choose a --model; the catalog has: alpha-2.0"],
      [
        { ...testEnv, MEDIA_API_KEY: "Bearer a" },
        ["balance"],
        2,
        "usage_error",
        "The API key has a character that no key has.",
      ],
      [unreachable, ["balance"], 3, "connection_error", "cannot be reached: ECONNREFUSED. If you"],
      [
        page,
        ["balance"],
        3,
        "connection_error",
        "Check --base-url: the base of the API ends in /v1.",
      ],
    ];
    for (const [env, args, code, errorCode, message] of cases)
      expect(await run(env, args)).toEqual([code, errorCode, expect.stringContaining(message)]);
    const stopped = await run(testEnv, ["balance"], AbortSignal.abort());
    expect(stopped).toEqual([130, "stopped", "Stopped waiting."]);
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
    expect(none).toEqual({ code: 0, output: expect.stringMatching(/^nothing found\n/) });
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
    expect(removed).toEqual({ code: 0, output: "deleted\n" });
    const asked = (answer: string) => {
      const stdin = Object.assign(Readable.from([answer]), { isTTY: true });
      return runToEnd(testEnv, ["delete", id], stdin);
    };
    expect(await asked("\n")).toEqual({
      code: 0,
      output: `Delete ${id} for good? [y/N]\nNothing is deleted.\n`,
    });
    expect((await test.videos.retrieve(id)).id).toBe(id);
    expect(await asked("y\n")).toMatchObject({ code: 0 });
    await expect(test.videos.retrieve(id)).rejects.toMatchObject({ code: "gone" });
  });
});
