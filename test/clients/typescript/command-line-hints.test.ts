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
