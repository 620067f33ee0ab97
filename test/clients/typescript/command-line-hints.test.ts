/** What the command line takes besides its own form, and where it says what is meant, against the whole service. */
import { beforeAll, describe, expect, it } from "vitest";
import { newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";
import { runToEnd } from "./run-command.ts";

describe("the command line", () => {
  let env: Record<string, string>;
  beforeAll(async () => {
    const service = await sharedService();
    const key = await (await newCustomer(service)).key("test");
    env = { MEDIA_BASE_URL: `${service.url}/v1`, MEDIA_API_KEY: key };
  });

  it("lists by the kind's name for one of them", async () => {
    const run = async (...args: string[]) => (await runToEnd(env, args)).output;
    const [video = ""] =
      /vgen_\w+/.exec(await run("video", "a", "-m", "alpha-2.0", "--no-wait")) ?? [];
    expect(await run("list", "video", "-m", "alpha-2.0")).toContain(video);
    expect(await run("list", "image")).not.toContain(video);
    expect(await run("list", "movies")).toContain("videos or images; it is movies.");
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
