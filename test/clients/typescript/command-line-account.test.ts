/** The commands that show and list what the account has, and errors as JSON, against the whole service. */
import { beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../../../clients/typescript/cli/program.ts";
import type { Client } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
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
    expect(models.output).toContain("gamma-image-3.0-pro  image, 42 Tokens per image\n");
    const model = await runToEnd(testEnv, ["models", "alpha-2.0", "--json"]);
    expect(JSON.parse(model.output)).toMatchObject({ id: "alpha-2.0", kind: "video" });
    const one = await runToEnd(testEnv, ["models", "alpha-2.0"]);
    expect(one.output).toContain("alpha-2.0  video, 210 Tokens per 5 seconds\n");
    expect(one.output).toMatch(/^ {2}seconds +5 to 15, in steps of 5; default 5$/m);
    expect(one.output).toMatch(
      /^ {2}fields +model, prompt, image_url, .*, negative_prompt, seed, resolution \(720P\), audio, .*, metadata$/m,
    );
    const image = await runToEnd(testEnv, ["models", "gamma-image-3.0-pro"]);
    expect(image.output).toContain(", n (at most 4), background (opaque, transparent), ");
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
    expect(await run("get", "abc")).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ error: { message: stderr.trimEnd().split("\n").at(-1) } });
  });

  it("lists usage, transactions, requests and deliveries, and repeats a delivery", async () => {
    await using receiver = await startReceiver();
    const { id } = await test.createVideo({
      model: "alpha-2.0",
      prompt: "a cat",
      webhook_url: receiver.url,
    });
    await test.waitForVideo(id, { pollMs: 100 });
    await receiver.has(1);
    const of = ["--generation", id];
    const entries = await runToEnd(testEnv, ["transactions", ...of]);
    expect(entries.output).toMatch(
      /^txn_\w+ {2}\S+Z {2}capture {4,}0 Tokens {2}[\d,]+ Tokens left/,
    );
    expect(entries.output).toMatch(
      new RegExp(`reserve +-210 Tokens  [\\d,]+ Tokens left  ${id}\n`),
    );
    const one = await runToEnd(testEnv, ["transactions", "--type", "reserve", ...of, "--json"]);
    expect(JSON.parse(one.output)).toMatchObject({ type: "reserve", tokens: -210 });
    await expect
      .poll(async () => (await runToEnd(testEnv, ["deliveries", ...of])).output)
      .toMatch(new RegExp(`^whd_\\w+  delivered  video.generation.completed  ${id}  \\S+  200\n$`));
    const [delivery = ""] = (await runToEnd(testEnv, ["deliveries", ...of])).output.split(" ");
    const again = await runToEnd(testEnv, ["redeliver", delivery]);
    expect([again.code, again.output]).toEqual([0, expect.stringContaining(`get ${delivery}\n`)]);
    await receiver.has(2);
    const shown = await runToEnd(testEnv, ["get", delivery]);
    expect(shown.output).toMatch(/^whd_\w+ {2}\w+\n {2}event +video\.generation\.completed/);
    await expect
      .poll(async () => (await runToEnd(testEnv, ["requests", ...of, "--status", "2xx"])).output)
      .toMatch(/^\w+ {2}\S+Z {2}(GET|POST) {2}\/v1\/videos\/generations\S* {2}20\d {2}\d+ ms$/m);
    const usage = await runToEnd(testEnv, ["usage", "--group-by", "model"]);
    expect(usage.output).toMatch(/^alpha-2\.0 {2}1 generation, 210 Tokens$/m);
    expect(usage.output).toMatch(/^test mode, \S+ to \S+: 1 generation, 210 Tokens$/m);
    const none = await runToEnd(testEnv, ["list", "--model", "none"]);
    expect(none).toEqual({ code: 0, output: "nothing found\n" });
  });
});
