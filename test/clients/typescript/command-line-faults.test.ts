/** What is wrong with a command or comes of it, by its exit code and its text, against the whole service. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { folderForTests } from "../../support/temporary-folder.ts";
import { customerOfCommands, runToEnd, type Environment } from "./run-command.ts";

const VIDEO = ["--model", "beta-3.0-video"];

describe("the command line", () => {
  const folder = folderForTests();
  let env: Environment;
  let testEnv: Environment;
  beforeAll(async () => void ({ env, testEnv } = await customerOfCommands()));

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
      [["video", "a cat"], "alpha-2.0                video  210 Tokens per 5 seconds\n"],
      [["video", "a cat", "--model", "delta-9"], 'There is no model "delta-9"'],
      [[...video, "--duration", "many"], "It must be a whole number."],
      [[...video, "--image", join(folder, "none.png")], "Cannot read the file"],
      [[...video, "--output", join(folder, "none", "cat.mp4")], "Cannot write to the folder"],
      [[...video, "--duration", "31"], "--duration"],
      [
        ["image", "a cat", "--model", "gamma-image-3.0-pro", "--n", "2", "-o", "-"],
        "--n must be 1",
      ],
      [["get", "vgen_nonsense"], "one looks like vgen_"],
      [["delete", "vgen_1"], "To delete vgen_1 for good, add --yes."],
      [["list", "movies"], "Allowed choices are videos, images."],
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

  it("exits with 3 if the service cannot be reached", async () => {
    const closed = { MEDIA_API_KEY: "mgs_live_x", PORT: String(await freePort()) };
    const { code, output } = await runToEnd(closed, ["video", "a cat", ...VIDEO]);
    expect(code).toBe(3);
    expect(output).toContain("ECONNREFUSED");
  });
});
