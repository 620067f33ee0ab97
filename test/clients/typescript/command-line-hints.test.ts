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
