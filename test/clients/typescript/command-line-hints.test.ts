/** What the command line takes besides its own form, and where it says what is meant, against the whole service. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../../../clients/typescript/cli/program.ts";
import { newCustomer } from "../../support/customer.ts";
import { makeImage } from "../../support/make-media.ts";
import { sharedService } from "../../support/shared-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { answeringService, type Answer } from "../python/python.ts";
import { runToEnd } from "./run-command.ts";

describe("the command line", () => {
  let env: Record<string, string>;
  beforeAll(async () => {
    const service = await sharedService();
    const key = await (await newCustomer(service)).key("test");
    env = { MEDIA_BASE_URL: `${service.url}/v1`, MEDIA_API_KEY: key };
  });

  it("says how to save what is made, where its file cannot be saved", async () => {
    const request = ["image", "a", "--model", "gamma-image-3.0-pro"];
    const tooLong = `${"a".repeat(253)}.png`;
    const { code, output } = await runToEnd(env, [...request, "--output", tooLong]);
    const [, id = ""] = /^(igen_\w+) is made \(charged 42 Tokens\)/m.exec(output) ?? [];
    expect(output).toMatch(/cannot be saved: ENAMETOOLONG/);
    expect(output).toContain(`To save it: media-generation get ${id} --wait --output ${tooLong}\n`);
    expect(output).not.toContain("continues");
    expect(code).toBe(3);
  });

  it.each([
    [["wait", "vgen_1"], "get <id> --wait"],
    [["download", "vgen_1", "--output", "cat.mp4"], "get <id> --output <file>"],
    [["version"], "--version"],
  ])("says for %j which command does it", async (args, command) => {
    const { code, output } = await runToEnd(env, args);
    expect(output).toContain(`unknown command '${args[0]}'\n(It is media-generation ${command})\n`);
    expect(code).toBe(2);
  });

  it("lists by the kind's name for one of them, and files", async () => {
    const run = async (...args: string[]) => (await runToEnd(env, args)).output;
    await using folder = await temporaryFolder();
    const path = join(folder.path, "cat.png");
    await writeFile(path, makeImage("png"));
    const [file = ""] = /file_\w+/.exec(await run("upload", path)) ?? [];
    expect(await run("list", "files")).toMatch(
      new RegExp(`^id +created .*\n${file}  \\S+Z  \\S+Z  image/png, \\d+ × \\d+  http`),
    );
    const [video = ""] =
      /vgen_\w+/.exec(await run("video", "a", "-m", "alpha-2.0", "--no-wait")) ?? [];
    expect(await run("list", "video", "-m", "alpha-2.0")).toContain(video);
    expect(await run("list", "image")).not.toContain(video);
    expect(await run("list", "movies")).toContain("videos, images, or files; it is movies.");
  });

  it("says that a file does where a picture is missing, and names a file that is refused", async () => {
    const video = ["video", "a", "--model", "beta-2.7-image-to-video"];
    expect((await runToEnd(env, video)).output).toContain(
      "needs --image: a public https URL of the first frame, or a file, as --image cat.png.\n",
    );
    const masked = ["image", "a", "-m", "gamma-image-3.0-pro", "--mask", "https://a.example.com/m"];
    expect((await runToEnd(env, masked)).output).not.toContain("POST /v1/files");
    await using folder = await temporaryFolder();
    const path = join(folder.path, "cat.txt");
    await writeFile(path, "a cat");
    const text = await runToEnd(env, ["upload", path]);
    expect(text.output).toMatch(/^\/.*\/cat\.txt: /);
    expect(text.code).toBe(2);
  });

  it("asks for quotation marks around a prompt of several words, and names a default once", async () => {
    const { code, output } = await runToEnd(env, ["video", "a", "cat", "-m", "alpha-2.0"]);
    expect(output).toBe(
      'There are 2 arguments. Quote the prompt: media-generation video "a cat" …\n',
    );
    expect(code).toBe(2);
    const help = await runToEnd(env, ["video", "--help"]);
    expect(help.output).toContain("save it (the default)\n");
  });

  it("says while it listens when the service answers again after an outage", async () => {
    const none = { body: { data: [], has_more: false } };
    const outage = { status: 503, headers: { "retry-after": "120" }, body: "<html>" };
    const answers = [{ body: { mode: "test" } }, ...Array<Answer>(6).fill(none)];
    await using service = await answeringService([...answers, outage, outage, none]);
    const stop = new AbortController();
    let output = "";
    const stream = { write: (text: string) => (output += text) };
    const own = { ...env, MEDIA_BASE_URL: service.url };
    const streams = { stdout: stream, stderr: stream };
    const listening = runProgram(["listen"], own, streams, stop.signal);
    await expect
      .poll(() => output, { timeout: 10_000 })
      .toMatch(/HTTP 503 .*\nThe service answers again\.\n$/);
    stop.abort();
    expect(await listening).toBe(0);
  });

  it("takes a day for a time: its beginning, UTC", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { output } = await runToEnd(env, ["image", "a", "--model", "gamma-image-3.0-pro"]);
    const [id = ""] = /igen_\w+/.exec(output) ?? [];
    const listed = (option: string) => runToEnd(env, ["list", "images", option, today]);
    expect(await listed("--created-after")).toMatchObject({
      code: 0,
      output: expect.stringContaining(id) as string,
    });
    expect(await listed("--created-before")).toEqual({ code: 0, output: "nothing found\n" });
  });
});
