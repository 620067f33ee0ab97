/** The playground: files that are chosen and dropped, a form that is kept, and a finished video that plays. */
import type { Locator, Page, Request } from "playwright-core";
import { shared } from "../context.ts";
import { PHONE, PICTURE, appears, changeMode, goTo, onPhone, waitUntil } from "../user-actions.ts";

describe("the playground", () => {
  const promptOf = (page: Page) => page.getByRole("textbox", { name: "Prompt", exact: true });

  it("takes a picture that is chosen or dropped, and refuses another file", async () => {
    const { page } = shared;
    await goTo(page, "Playground");
    await choose(page, "beta-2.7-image-to-video");
    const url = page.getByLabel("Image URL");
    expect(await url.getAttribute("required")).not.toBeNull();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a file for the image" }).press("Enter");
    await (await chooser).setFiles(PICTURE);
    const place = page.getByTestId("Drop the image");
    await place.getByText(PICTURE.name, { exact: true }).waitFor();
    await waitUntil(
      page,
      "document.querySelector('[data-testid=\"Drop the image\"] img').naturalWidth === 1",
    );
    await page.getByRole("button", { name: "Take out the file for the image" }).press("Enter");
    expect(await url.inputValue()).toBe("");
    await drop(page, "notes.txt", "text/plain", "bm90ZXM=");
    await place.getByText("notes.txt is not a picture that can be used.").waitFor();
    await drop(page, "dropped.png", "image/png", PICTURE.buffer.toString("base64"));
    await place.getByText("dropped.png", { exact: true }).waitFor();
    expect(await url.inputValue()).toContain("/assets/");
  });

  it("charges the price that it shows once for a double click, and plays the video, also after leaving the page", async () => {
    const { page } = shared;
    const prompt = "A paper boat on a mountain lake";
    await goTo(page, "Playground");
    await choose(page, "alpha-2.0");
    await promptOf(page).fill(prompt);
    await page.getByRole("slider", { name: "Duration in seconds" }).press("ArrowRight");
    expect(await page.getByTestId("price").innerText()).toBe("420 test Tokens");
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
    const made = [];
    for await (const one of shared.client.videos.list()) {
      if (one.input.prompt === prompt) made.push(one.id);
    }
    expect(made).toHaveLength(1);
  });

  it("asks in live mode before what costs more than the account says, and sends nothing until then", async () => {
    const { page, accountId, at } = shared;
    await goTo(page, "Account");
    const above = page.getByLabel("Ask before a live generation above");
    await above.fill("100");
    await above.press("Enter");
    await expect.poll(() => above.getAttribute("value")).toBe("100");
    await changeMode(page, `/dashboard/${accountId}/live/playground`);
    await choose(page, "gamma-image-3.0-pro");
    await promptOf(page).fill("A live tower");
    const created: string[] = [];
    const count = (request: Request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === "POST") created.push(pathname.split("/").at(-2) ?? "");
    };
    page.on("request", count);
    await choose(page, "alpha-2.0");
    const generate = page.getByRole("button", { name: "Generate for 420 Tokens" });
    await generate.click();
    const question = page.getByRole("dialog", { name: "Generate for 420 Tokens?" });
    await question.getByText("This account asks above 100 Tokens.").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await choose(page, "gamma-image-3.0-pro");
    await page.route("**/balances", (route) =>
      route.fulfill({ json: { data: [{ mode: "live", available: 1, reserved: 0 }] } }),
    );
    // 42 Tokens, after which the balance is too low: also the keys for the button do nothing.
    await page.getByRole("button", { name: "Generate for 42 Tokens" }).click();
    await appears(page.getByRole("img", { name: "A live tower" }));
    await choose(page, "alpha-2.0");
    await appears(page.getByText("1 Tokens are available."));
    await promptOf(page).press("Control+Enter");
    expect(await question.count()).toBe(0);
    page.off("request", count);
    expect(created).toEqual(["images"]);
    await changeMode(page, at("overview"));
  });

  it("shows the picture of an image model, and within a phone's window the fields that are wrong and the error of a failed one", async () => {
    const { page } = shared;
    await goTo(page, "Playground");
    await choose(page, "gamma-image-3.0-pro");
    await promptOf(page).fill("");
    await page.keyboard.press("Control+Enter");
    await page.locator(":invalid:focus").waitFor();
    // The browser itself tells the page of it, as of a paste. That ends what is said about the empty prompt, too.
    await page.keyboard.insertText("A tower");
    expect(await promptOf(page).inputValue()).toBe("A tower");
    await page.keyboard.press("Control+Enter");
    const picture = page.getByRole("img", { name: "A tower" });
    await appears(picture);
    expect(await picture.getAttribute("src")).toMatch(/\/assets\/.+\.png$/);
    await page.getByRole("button", { name: "More options" }).click();
    await page.getByRole("combobox", { name: "Simulated outcome" }).click();
    await page.getByRole("option", { name: "Fail: content rejected" }).click();
    await onPhone(page, async () => {
      const generates = async (shown: Locator) => {
        await page.getByRole("button", { name: "Generate" }).click();
        await appears(shown);
        const { y = -1 } = (await shown.boundingBox()) ?? {};
        expect(y).toBeGreaterThan(0);
        expect(y).toBeLessThan(PHONE.height);
      };
      await page.getByRole("button", { name: "Add a reference image" }).click();
      const reference = page.getByRole("textbox", { name: "Reference image 1" });
      await reference.fill("http://x");
      await page.getByLabel("Webhook URL").fill("http://x");
      await generates(page.locator(":focus").and(reference));
      expect(await page.getByText("The URL must begin with https://").count()).toBe(2);
      const webhook = page.getByLabel("Webhook URL");
      await webhook.fill("nonsense");
      await page.getByRole("button", { name: "More options" }).click();
      await reference.press("Control+Enter");
      await page.locator(":focus").and(webhook).waitFor();
      await webhook.fill("");
      await page.getByRole("button", { name: "Remove reference image 1" }).click();
      expect(await page.locator("[aria-invalid=true]").count()).toBe(0);
      await generates(page.getByRole("alert").filter({ hasText: "content_rejected" }));
    });
  });
});

async function choose(page: Page, model: string): Promise<void> {
  await page.getByRole("combobox", { name: "Model" }).click();
  await page.getByRole("option", { name: model }).first().click();
}

/** Drops a file on the place for the image. */
async function drop(page: Page, name: string, type: string, base64: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob("${base64}"), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], "${name}", { type: "${type}" }));
      return data;
    })()`,
  );
  const place = page.getByTestId("Drop the image");
  await place.dispatchEvent("dragover", { dataTransfer });
  await place.dispatchEvent("drop", { dataTransfer });
}
