/** The commands that show and list what the account has, and errors as JSON, against the whole service. */
import { beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../../../clients/typescript/cli/program.ts";
import type { Client } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { startReceiver } from "../../support/receiver.ts";
import { sharedService } from "../../support/shared-service.ts";
import { runToEnd } from "./run-command.ts";

describe("the command line", () => {
  let test: Client;
  let testEnv: Record<string, string>;
  beforeAll(async () => {
    const service = await sharedService();
    const key = await (await newCustomer(service)).key("test");
    testEnv = { MEDIA_BASE_URL: `${service.url}/v1`, MEDIA_API_KEY: key };
    test = clientOf(service.url, key);
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

  it("prints with --json what failed as the API has it, beside the text", async () => {
    let stdout = "";
    let stderr = "";
    const streams = {
      stdout: { write: (text: string) => (stdout += text) },
      stderr: { write: (text: string) => (stderr += text) },
    };
    const run = (...args: string[]) => {
      stdout = "";
      return runProgram([...args, "--json"], testEnv, streams, new AbortController().signal);
    };
    expect(await run("get", "vgen_nonsense")).toBe(2);
    const { error } = JSON.parse(stdout) as { error: { request_id: string; doc_url: string } };
    expect(error).toMatchObject({ type: "not_found_error", code: "generation_not_found" });
    const reference = `Code generation_not_found, request ${error.request_id}, ${error.doc_url}\n`;
    expect(stderr).toContain(reference);
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
      [testEnv, ["balance", "--bogus"], 2, "usage_error", "unknown option '--bogus'"],
      [
        testEnv,
        ["help", "vidoe"],
        2,
        "usage_error",
        "unknown command 'vidoe'. Did you mean video?",
      ],
      [testEnv, ["list", "vidoes"], 2, "usage_error", "The kind must be videos or images;"],
      [testEnv, ["get", "abc"], 2, "usage_error", "There is no abc here:"],
      [testEnv, ["video", "a"], 2, "usage_error", "Choose a --model; the catalog has: alpha-2.0"],
      [testEnv, ["upload", "/none.png"], 2, "usage_error", "Cannot read the file /none.png"],
      [
        { ...testEnv, MEDIA_API_KEY: "Bearer a" },
        ["balance"],
        2,
        "usage_error",
        "The API key begins",
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

  it("lists usage, transactions, requests and deliveries, and repeats a delivery", async () => {
    await using receiver = await startReceiver();
    const { id } = await test.videos.create({
      model: "alpha-2.0",
      prompt: "a cat",
      webhook_url: receiver.url,
    });
    await test.videos.wait(id, { pollMs: 100 });
    await receiver.has(1);
    const of = ["--generation", id];
    const entries = await runToEnd(testEnv, ["transactions", ...of]);
    expect(entries.output).toMatch(
      /^id +created .*\ntxn_\w+ {2}\S+Z {2}capture {2}0 Tokens {5}[\d,]+ Tokens left/,
    );
    expect(entries.output).toMatch(
      new RegExp(`reserve  -210 Tokens  [\\d,]+ Tokens left  ${id}\n`),
    );
    const one = await runToEnd(testEnv, ["transactions", "--type", "reserve", ...of, "--json"]);
    expect(JSON.parse(one.output)).toMatchObject({ type: "reserve", tokens: -210 });
    await expect
      .poll(async () => (await runToEnd(testEnv, ["deliveries", ...of])).output)
      .toMatch(
        new RegExp(`^whd_\\w+  delivered  video.generation.completed  ${id}  \\S+  200\n$`, "m"),
      );
    const [delivery = ""] =
      /^whd_\w+/m.exec((await runToEnd(testEnv, ["deliveries", ...of])).output) ?? [];
    const again = await runToEnd(testEnv, ["redeliver", delivery]);
    expect([again.code, again.output]).toEqual([0, expect.stringContaining(`get ${delivery}\n`)]);
    await receiver.has(2);
    const shown = await runToEnd(testEnv, ["get", delivery]);
    expect(shown.output).toMatch(/^whd_\w+ {2}\w+\n {2}event +video\.generation\.completed/);
    await expect
      .poll(async () => (await runToEnd(testEnv, ["requests", ...of, "--status", "2xx"])).output)
      .toMatch(/^\w+ {2}\S+Z {2}(GET|POST) +\/v1\/videos\/generations\S* +20\d +\d+ ms$/m);
    const usage = await runToEnd(testEnv, ["usage", "--group-by", "model"]);
    expect(usage.output).toMatch(/^alpha-2\.0 {2}1 generation {2}210 Tokens$/m);
    expect(usage.output).toMatch(/^test mode, \S+ to \S+: 1 generation, 210 Tokens$/m);
    const none = await runToEnd(testEnv, ["list", "--model", "none"]);
    expect(none).toEqual({ code: 0, output: expect.stringMatching(/^nothing found\n/) });
  });
});
