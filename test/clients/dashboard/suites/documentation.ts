/** The documentation in the browser: its pages on a desk and a phone, its search, and operations that are tried there. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { ADA, PHONE, PICTURE, appears, signIn } from "../user-actions.ts";
import { MAX_LAYOUT_SHIFT, countShifts, layoutShift, violationsOf } from "../violations.ts";

const PAGES = [
  "",
  "/models/beta-3.0-video",
  "/guides/webhooks",
  "/reference/create-video-generation",
] as const;

export function documentation(context: Context): void {
  describe("the documentation", () => {
    let page: Page;

    beforeAll(async () => {
      page = await context().chromium.newPage();
    });
    afterAll(() => page.context().close());

    it("moves nothing while it loads on a phone, whose contents are folded, and has no violation", async () => {
      const phone = await context().chromium.newPage();
      await countShifts(phone);
      for (const path of PAGES) {
        await phone.setViewportSize(PHONE);
        await phone.goto(`/docs${path}`);
        await phone.getByRole("heading", { level: 1 }).waitFor();
        expect(await layoutShift(phone)).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
        const contents = phone.getByRole("navigation", { name: "Documentation" });
        expect(await contents.getByRole("link", { name: "Quickstart" }).isVisible()).toBe(false);
        expect(await violationsOf(phone)).toEqual([]);
      }
      await phone.context().close();
    });

    it("leads by its search to the part of a page that has the words, and copies a sample in the language that is remembered", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto("/docs/guides/files");
      await page.getByRole("heading", { level: 1 }).click();
      await page.keyboard.press("Control+k");
      // At once: what is found for the first letters leads elsewhere.
      await page.keyboard.insertText("verify signature");
      const results = page.getByRole("region", { name: "Search results" });
      await results.getByRole("link", { name: "Guides: Webhooks" }).click();
      await page.waitForURL("**/docs/guides/webhooks#verify-signatures");
      await page.goto("/docs/reference/cancel-video-generation");
      await page.getByRole("tab", { name: "Python" }).first().click();
      await page.getByRole("button", { name: "Dark" }).click();
      await page.goto("/docs/models/beta-3.0-video");
      await page.getByRole("button", { name: "Light" }).click();
      const sample = page.getByRole("tabpanel").first();
      expect(await sample.innerText()).toContain("media_generation_client");
      await sample.getByRole("button", { name: "Copy" }).click();
      await sample.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        await sample.locator("code").innerText(),
      );
    });

    it("leads to pages of the dashboard in the account of the reader, by way of signing in", async () => {
      const visitor = await context().chromium.newPage();
      await visitor.goto("/docs/guides/webhooks");
      await visitor.getByRole("link", { name: "dashboard under Webhooks" }).click();
      await signIn(visitor, ADA);
      await appears(visitor.getByRole("heading", { name: "Webhooks", level: 1 }));
      await visitor.goto("/docs/models/gamma-image-3.0-pro");
      await visitor.getByRole("link", { name: "Try it in the playground" }).click();
      const model = visitor.getByRole("combobox", { name: "Model" });
      await expect.poll(() => model.inputValue()).toContain("gamma-image-3.0-pro");
      await visitor.context().close();
    });

    it("tries operations with a key: a file that is chosen there, and a video, whose id the next operation has", async () => {
      const send = page.getByRole("button", { name: "Send" });
      const answer = page.getByRole("status");
      await page.goto("/docs/reference/create-file");
      await page.getByLabel("API key").fill("mgs_test_unknown");
      await page.getByLabel("file", { exact: true }).setInputFiles(PICTURE);
      await send.click();
      await answer.getByText("401").waitFor();
      await answer.getByRole("link", { name: /errors\/invalid_api_key$/ }).waitFor();
      await page.getByLabel("API key").fill(context().key);
      await send.click();
      await answer.getByText(/^201 /).waitFor();
      await page.goto("/docs/reference/create-video-generation");
      await send.click();
      await answer.locator("video").waitFor();
      const { id } = JSON.parse(await answer.locator("code").first().innerText()) as { id: string };
      expect(await violationsOf(page)).toEqual([]);
      await page.goto("/docs/reference/delete-video-generation");
      expect(await page.getByLabel("id", { exact: true }).inputValue()).toBe(id);
    });
  });
}
