/** The playground: the form follows the catalog, the price shown is charged, the video plays. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { clientOf } from "../../../support/customer.ts";
import type { Context } from "../context.ts";
import { violationsOf } from "./every-page.ts";
import {
  PHONE,
  PICTURE,
  appears,
  createKey,
  goTo,
  onPhone,
  openWithoutLoading,
  waitUntil,
} from "../user-actions.ts";

export const PROMPT = "A paper boat on a mountain lake";

export function playground(context: Context): void {
  describe("the playground", () => {
    it("shows only the fields that the model accepts", async () => {
      const { page } = context();
      await goTo(page, "Playground");
      await choose(page, "beta-2.7-text-to-video");
      await page.getByLabel("Image URL").waitFor({ state: "detached" });
      await choose(page, "beta-2.7-image-to-video");
      expect(await page.getByLabel("Image URL").getAttribute("required")).not.toBeNull();
      await takesFiles(page);
      await choose(page, "gamma-image-3.0-pro");
      await page.getByText("Duration", { exact: true }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Add a reference image" }).click();
      await page
        .getByRole("textbox", { name: "Reference image 1" })
        .fill("https://example.com/a.png");
      expect(await page.getByTestId("price").innerText()).toBe("63 test Tokens");
    });

    it("keeps the form over leaving, a reload and another mode, and counts instead of cutting off", async () => {
      const { page } = context();
      const prompt = page.getByRole("textbox", { name: "Prompt", exact: true });
      await prompt.fill(`${PROMPT} ${"x".repeat(4_969)}`);
      await page.getByText("5,001 of 5,000 characters").waitFor();
      await page.getByRole("button", { name: "Generate" }).click();
      await page.getByText("Shorten it by 1 character.").waitFor();
      await prompt.fill(PROMPT);
      await goTo(page, "Overview");
      await goTo(page, "Playground");
      expect(await prompt.inputValue()).toBe(PROMPT);
      await page.getByText("Live", { exact: true }).click();
      await page.getByText("Production access has not been granted yet").waitFor();
      expect(await prompt.inputValue()).toBe(PROMPT);
      await page.getByText("Test", { exact: true }).click();
      await page.reload();
      expect(await prompt.inputValue()).toBe(PROMPT);
      expect(await page.getByRole("combobox", { name: "Model" }).inputValue()).toBe(
        "gamma-image-3.0-pro",
      );
      // What this model does not take stays for one that does.
      await choose(page, "beta-2.7-text-to-video");
      await choose(page, "gamma-image-3.0-pro");
      expect(await page.getByRole("textbox", { name: "Reference image 1" }).inputValue()).toBe(
        "https://example.com/a.png",
      );
      await page.getByRole("button", { name: "Remove reference image 1" }).click();
    });

    it("shows the price, charges exactly that, and plays the finished video, also after leaving the page", async () => {
      const { page } = context();
      await choose(page, "alpha-2.0");
      await page.getByText("10 s", { exact: true }).click();
      expect(await page.getByTestId("price").innerText()).toBe("420 test Tokens");
      // A double click is one request.
      await page.getByRole("button", { name: "Generate" }).click({ clickCount: 2, delay: 60 });
      await goTo(page, "Overview");
      await goTo(page, "Playground");
      await appears(page.locator("video"));
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

    it("shows the picture of an image model, and the error of a failed generation, within a phone's window", async () => {
      const { page } = context();
      await goTo(page, "Playground");
      await choose(page, "gamma-image-3.0-pro");
      await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("A lighthouse");
      await page.keyboard.press("Control+Enter");
      const picture = page.getByRole("img", { name: "A lighthouse" });
      await appears(picture);
      expect(await picture.getAttribute("src")).toMatch(/\/assets\/.+\.png$/);
      await page.getByRole("button", { name: "More options" }).click();
      await page.getByRole("combobox", { name: "Images", exact: true }).click();
      await page.getByRole("option", { name: "2", exact: true }).click();
      expect(await page.getByTestId("price").innerText()).toBe("84 test Tokens");
      await page.getByRole("button", { name: "Generate" }).click();
      await expect.poll(() => picture.count()).toBe(2);
      await page.getByRole("textbox", { name: "End user" }).fill("customer-7");
      await page.getByRole("combobox", { name: "Simulated outcome" }).click();
      await page.getByRole("option", { name: "Fail: content rejected" }).click();
      await onPhone(page, async () => {
        await page.getByRole("button", { name: "Generate" }).click();
        const alert = page.getByRole("alert");
        await appears(alert);
        expect(await alert.innerText()).toMatch(
          /^content_rejected\s.*Simulated: The prompt or a picture was refused.*restored\./,
        );
        const result = page.getByRole("region", { name: "Result" });
        expect(await result.getByRole("link", { name: "Details" }).getAttribute("href")).toMatch(
          /\/generations\/igen_/,
        );
        const { y = 0 } = (await alert.boundingBox()) ?? {};
        expect(y).toBeGreaterThan(0);
        expect(y).toBeLessThan(PHONE.height);
      });
    });

    it("says of a limit of Tokens when it ends, in the user's time, and leads to the limits", async () => {
      const { page } = context();
      const details = {
        required: 500,
        used: 99_700,
        limit: 100_000,
        period: "day",
        resets_at: "2999-11-18T00:00:00.000Z",
      };
      const error = { code: "spend_limit_reached", message: "It is refused.", details };
      await page.route(/\/(videos|images)\/generations\?/, (route) =>
        route.fulfill({ status: 402, json: { error } }),
      );
      // Another request than before: a second press within a second counts as a double click.
      await page
        .getByRole("textbox", { name: "Prompt", exact: true })
        .fill("A lighthouse at night");
      await page.getByRole("button", { name: "Generate" }).click();
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText("99,700 of 100,000 a day are used").waitFor();
      await result.getByText("Nov 18, 2999").waitFor();
      const limits = result.getByRole("link", { name: "Limits and alerts" });
      expect(await limits.getAttribute("href")).toMatch(/\/billing\?tab=limits$/);
      await page.unrouteAll();
    });

    it("returns to earlier runs, and compares them side by side", async () => {
      const { page } = context();
      await page.getByRole("button", { name: "Show the run: A lighthouse" }).last().click();
      await page.getByRole("img", { name: "A lighthouse" }).waitFor();
      await page.getByRole("checkbox", { name: "Compare the run: A lighthouse" }).last().check();
      await page.getByRole("checkbox", { name: `Compare the run: ${PROMPT}` }).check();
      const comparison = page.getByRole("region", { name: "Side by side" });
      await comparison.getByRole("img", { name: "A lighthouse" }).waitFor();
      await comparison.locator("video").waitFor();
      await comparison.getByRole("button", { name: "Use these settings" }).last().click();
      expect(await page.getByRole("textbox", { name: "Prompt", exact: true }).inputValue()).toBe(
        PROMPT,
      );
      await comparison.getByRole("button", { name: "End the comparison" }).click();
      await comparison.waitFor({ state: "detached" });
    });

    it("shows the request as code that reads the key from the environment and contains no key", async () => {
      const { page } = context();
      for (const language of ["curl", "TypeScript", "Python"]) {
        await page.getByRole("tab", { name: language }).click();
        const code = await page.getByRole("region", { name: `Request in ${language}` }).innerText();
        expect(code).toContain("/v1/videos/generations");
        expect(code).toContain("MEDIA_API_KEY");
        expect(code).toMatch(/Prefer"?: "?wait=60"/);
        expect(code).not.toContain("mgs_");
      }
      const [code, copy] = await Promise.all(
        [
          page.getByRole("region", { name: "Request in Python" }),
          page.getByRole("button", { name: "Copy", exact: true }),
        ].map((part) => part.boundingBox()),
      );
      // The button is above the code and covers nothing of it.
      expect((copy?.y ?? 0) + (copy?.height ?? 0)).toBeLessThanOrEqual(code?.y ?? 0);
    });
  });

  describe("an open page", () => {
    it("shows a generation created through the API, from accepted to finished, without a reload, and deletes it after asking", async () => {
      const { page, service } = context();
      const key = await createKey(page, "Live updates");
      await page.getByRole("button", { name: "I have saved it" }).click();
      await goTo(page, "Generations");
      const client = clientOf(service.url, key);
      const prompt = `Created through the API, ${"with a long prompt, ".repeat(20)}`;
      const created = await client.videos.create({ model: "beta-3.0-video", prompt, duration: 2 });
      const row = page.getByRole("row").filter({ hasText: prompt });
      await row.waitFor();
      await appears(row.getByText("success").filter({ visible: true }));
      expect(await row.getByRole("link").getAttribute("href")).toContain(created.id);

      await openWithoutLoading(page, `${new URL(page.url()).pathname}?kind=video`);
      // The link to a generation keeps the filters only once the list has been drawn with them.
      await page
        .getByRole("radio", { name: "Videos", checked: true })
        .waitFor({ state: "attached" });
      await row.getByRole("link").click();
      await page.getByText("Created with the API key Live updates").waitFor();
      const json = page.getByRole("region", { name: "The generation as the API answers it" });
      expect(JSON.parse(await json.innerText())).toMatchObject({ id: created.id });
      await page.getByRole("button", { name: "Show all 425 characters" }).click();
      await page.getByRole("button", { name: "Show less" }).waitFor();
      await page.getByRole("button", { name: "Delete" }).click();
      const dialog = page.getByRole("dialog", { name: "Delete this video?" });
      expect((await client.videos.retrieve(created.id)).status).toBe("success");
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("heading", { name: "Generations", level: 1 }).waitFor();
      expect(new URL(page.url()).search).toBe("?kind=video");
      const confirmation = page.getByRole("status", { name: "Confirmation" });
      await confirmation.getByText("1 generation deleted").waitFor();
      await confirmation.getByRole("button", { name: "Close the confirmation" }).click();
      await row.waitFor({ state: "detached" });
      await expect(client.videos.retrieve(created.id)).rejects.toMatchObject({ code: "gone" });
      await openWithoutLoading(page, `${new URL(page.url()).pathname}/${created.id}`);
      await page.getByRole("heading", { name: "No such generation" }).waitFor();
      await page.getByRole("link", { name: "Back to the generations" }).click();
      await page.getByRole("heading", { name: "Generations", level: 1 }).waitFor();
    });
  });
}

/** A picture that is chosen or dropped is sent, shown with its name, and can be taken out; another file is refused. */
async function takesFiles(page: Page): Promise<void> {
  const url = page.getByLabel("Image URL");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file for the image" }).press("Enter");
  await (await chooser).setFiles(PICTURE);
  const place = page.getByTestId("Drop the image");
  await place.getByText(PICTURE.name, { exact: true }).waitFor();
  expect(await url.inputValue()).toContain("/assets/");
  await waitUntil(
    page,
    "document.querySelector('[data-testid=\"Drop the image\"] img').naturalWidth === 1",
  );
  await page.getByRole("button", { name: "Take out the file for the image" }).press("Enter");
  expect(await url.inputValue()).toBe("");
  const drop = async (name: string, bytes: string, type = "image/png", at = place) => {
    const dataTransfer = await page.evaluateHandle(
      `(() => {
        const data = new DataTransfer();
        const bytes = Uint8Array.from(atob("${bytes}"), (letter) => letter.charCodeAt(0));
        data.items.add(new File([bytes], "${name}", { type: "${type}" }));
        return data;
      })()`,
    );
    await at.dispatchEvent("dragover", { dataTransfer });
    await at.dispatchEvent("drop", { dataTransfer });
  };
  await page.evaluate(
    "addEventListener('drop', (event) => { globalThis.wasDropRefused = event.defaultPrevented; })",
  );
  await drop(
    "beside.png",
    "bm90ZXM=",
    "image/png",
    page.getByRole("region", { name: "Request", exact: true }),
  );
  expect(await page.evaluate("wasDropRefused")).toBe(true);
  await drop("notes.txt", "bm90ZXM=", "text/plain");
  await place.getByText("notes.txt is not a picture that can be used.").waitFor();
  await drop("notes.png", "bm90ZXM=");
  await place.getByRole("alert").waitFor();
  await drop("dropped.png", PICTURE.buffer.toString("base64"));
  await place.getByText("dropped.png", { exact: true }).waitFor();
  await place.getByRole("alert").waitFor({ state: "detached" });
  expect(await url.inputValue()).toContain("/assets/");
  expect(await violationsOf(page)).toEqual([]);
}

async function choose(page: Page, model: string): Promise<void> {
  await page.getByRole("combobox", { name: "Model" }).click();
  await page.getByRole("option", { name: model, exact: false }).first().click();
}
