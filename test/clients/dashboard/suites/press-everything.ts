/** No control makes a page fail, whatever it does to the account. It takes minutes, so it runs with TEST_SIZE=long only. */
import { describe, expect, it } from "vitest";
import { startReceiver } from "../../../support/receiver.ts";
import { isLong } from "../../../support/test-size.ts";
import type { Context } from "../context.ts";
import { pressEverything } from "../press-everything.ts";
import { ADA, appears, signIn } from "../user-actions.ts";

const TIMEOUT_MS = 1_200_000;

export function pressingEverything(context: Context): void {
  describe.runIf(isLong)("a user who presses everything", { timeout: TIMEOUT_MS }, () => {
    it.each(["with data", "that is empty"])("sees no page of an account %s fail", async (what) => {
      const { chromium, client, newUser } = context();
      await using receiver = await startReceiver({ status: 503 });
      const video = { model: "alpha-2.0", prompt: "A boat", webhook_url: receiver.url };
      for (const simulate of ["success", "fail:content_rejected"]) {
        await client.videos.create({ ...video, metadata: { simulate } });
      }
      await receiver.has(2);
      const user = what === "with data" ? ADA : await newUser("Barbara");
      const page = await chromium.newPage();
      const signInAgain = async () => {
        await page.goto("/dashboard/sign-in");
        await signIn(page, user);
        await appears(page.getByRole("heading", { name: "Overview", level: 1 }));
      };
      await signInAgain();
      const walk = await pressEverything(page, chromium.errors, signInAgain, user.password);
      expect(walk.faults).toEqual([]);
      expect(walk.pressed.length).toBeGreaterThan(100);
      await page.context().close();
    });
  });
}
