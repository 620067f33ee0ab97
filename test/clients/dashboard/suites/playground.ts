/** The playground: the form follows the catalog, the price shown is charged, the video plays. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { clientOf } from "../../../support/customer.ts";
import type { Context } from "../context.ts";
import { goTo, createKey } from "../user-actions.ts";

const PROMPT = "A paper boat on a mountain lake";

export function playground(context: Context): void {
  describe("the playground", () => {
    it("shows only the fields that the model accepts", async () => {
      const { page } = context();
      await goTo(page, "Playground");
      await choose(page, "beta-2.7-text-to-video");
      await page.getByLabel("Image URL").waitFor({ state: "detached" });
      await choose(page, "beta-2.7-image-to-video");
      expect(await page.getByLabel("Image URL").getAttribute("required")).not.toBeNull();
      await choose(page, "gamma-image-3.0-pro");
      await page.getByText("Duration", { exact: true }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Add a reference image" }).click();
      await page
        .getByRole("textbox", { name: "Reference image 1" })
        .fill("https://example.com/a.png");
      expect(await page.getByTestId("price").innerText()).toBe("63 test Tokens");
    });

    it("shows the price, charges exactly that, and plays the finished video", async () => {
      const { page } = context();
      await choose(page, "alpha-2.0");
      await page.getByText("10 s", { exact: true }).click();
      await page.getByRole("textbox", { name: "Prompt", exact: true }).fill(PROMPT);
      expect(await page.getByTestId("price").innerText()).toBe("420 test Tokens");
      // A double click is one request.
      await page.getByRole("button", { name: "Generate" }).click({ clickCount: 2, delay: 60 });
      await page.locator("video").waitFor();
      // Only the page can tell that the video plays: wait until its time advances.
      const played = await page.evaluate<{ duration: number; width: number }>(
        `(async () => {
          const video = document.querySelector("video");
          video.muted = true;
          await video.play();
          while (video.currentTime === 0) await new Promise(requestAnimationFrame);
          return { duration: video.duration, width: video.videoWidth };
        })()`,
      );
      expect(played.duration).toBeGreaterThan(0);
      expect(played.width).toBe(1280);
      await page.getByRole("link", { name: "Details" }).click();
      await page.getByText("420 Tokens charged").waitFor();
      await page.getByRole("definition").filter({ hasText: PROMPT }).waitFor();
      await goTo(page, "Overview");
      await page.getByText("999,580").waitFor();
    });

    it("shows the picture of an image model, and the error of a failed generation", async () => {
      const { page } = context();
      await goTo(page, "Playground");
      await choose(page, "gamma-image-3.0-pro");
      await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("A lighthouse");
      await page.getByRole("button", { name: "Generate" }).click();
      const picture = page.getByRole("img", { name: "A lighthouse" });
      await picture.waitFor();
      expect(await picture.getAttribute("src")).toMatch(/\/assets\/.+\.png$/);
      await page.getByRole("button", { name: "More options" }).click();
      await page.getByRole("combobox", { name: "Simulated outcome" }).click();
      await page.getByRole("option", { name: "Fail: content rejected" }).click();
      await page.getByRole("button", { name: "Generate" }).click();
      const alert = page.getByRole("alert");
      await alert.waitFor();
      expect(await alert.innerText()).toContain("asked to fail");
    });

    it("shows the request as code that reads the key from the environment and contains no key", async () => {
      const { page } = context();
      for (const language of ["curl", "TypeScript", "Python"]) {
        await page.getByRole("tab", { name: language }).click();
        const code = await page.getByRole("region", { name: `Request in ${language}` }).innerText();
        expect(code).toContain("/v1/images/generations");
        expect(code).toContain("MEDIA_API_KEY");
        expect(code).not.toContain("mgs_");
      }
    });
  });

  describe("an open page", () => {
    it("shows a generation created through the API, from accepted to finished, without a reload, and deletes it after asking", async () => {
      const { page, service } = context();
      const key = await createKey(page, "Live updates", "Test");
      await page.getByRole("button", { name: "I have saved it" }).click();
      await goTo(page, "Generations");
      const client = clientOf(service.url, key);
      const prompt = "Created through the API";
      const created = await client.createVideo({ model: "beta-3.0-video", prompt, duration: 2 });
      const row = page.getByRole("row").filter({ hasText: prompt });
      await row.waitFor();
      await row.getByText("success").waitFor();
      expect(await row.getByRole("link").getAttribute("href")).toContain(created.id);

      await row.getByRole("link").click();
      await page.getByRole("button", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete this video?" });
      expect((await client.retrieveVideo(created.id)).status).toBe("success");
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("heading", { name: "Generations", level: 1 }).waitFor();
      await row.waitFor({ state: "detached" });
      await expect(client.retrieveVideo(created.id)).rejects.toMatchObject({ code: "gone" });
    });
  });
}

async function choose(page: Page, model: string): Promise<void> {
  await page.getByRole("combobox", { name: "Model" }).click();
  await page.getByRole("option", { name: model, exact: false }).first().click();
}
