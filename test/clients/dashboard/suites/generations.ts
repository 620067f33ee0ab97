/** The list of generations: live, filtered by its URL, and what is done with those that are selected. */
import type { Download } from "playwright-core";
import { shared } from "../context.ts";
import { appears, goTo, openWithoutLoading } from "../user-actions.ts";

describe("the list of generations", () => {
  it("shows one that was created through the API until its end without a reload, and deletes it after asking", async () => {
    const { page, client } = shared;
    const prompt = `Created through the API, ${"with a long prompt, ".repeat(20)}`;
    const created = await client.videos.create({ model: "beta-3.0-video", prompt, duration: 2 });
    await goTo(page, "Generations");
    const row = page.getByRole("row").filter({ hasText: prompt });
    await appears(row.getByText("success").filter({ visible: true }));
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "Video", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this video?" });
    expect((await client.videos.retrieve(created.id)).status).toBe("success");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Generations", level: 1 }).waitFor();
    await page.getByRole("status", { name: "Confirmation" }).getByText("1 generation").waitFor();
    await row.waitFor({ state: "detached" });
    await expect(client.videos.retrieve(created.id)).rejects.toMatchObject({ code: "gone" });
    await openWithoutLoading(page, shared.at(`generations/${created.id}`));
    await page.getByRole("heading", { name: "This generation was deleted" }).waitFor();
    await page.getByText(/transactions .*(are kept|stay)/i).waitFor();
    expect(await page.getByRole("link", { name: /^Look in/ }).count()).toBe(0);
  });

  it("is filtered by its URL, selects a range with Shift, downloads each of its files, and deletes them after one question, those that were refused once more", async () => {
    const { page, client } = shared;
    const [first, second, third] = await Promise.all(
      ["one", "two", "three"].map((prompt) =>
        client.images.create({
          model: "gamma-image-3.0-pro",
          prompt: `Of a set: ${prompt}`,
          end_user: "collector",
        }),
      ),
    );
    // There is no such kind: it does not count.
    await openWithoutLoading(page, shared.at("generations?end_user=collector&kind=sound"));
    await page.getByLabel("From", { exact: true }).focus();
    await page.keyboard.type("11022026");
    await page.waitForURL(/from=2026-11-02/);
    await page.getByText("Gallery", { exact: true }).click();
    const boxes = page.getByRole("checkbox", { name: "Select: " });
    await expect.poll(() => boxes.count()).toBe(3);
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ["Shift"] });
    const bar = page.getByRole("region", { name: "Selection" });
    await bar.getByText("3 selected, 3 files").waitFor();
    const names = new Set<string>();
    const count = (download: Download) => names.add(download.suggestedFilename());
    page.on("download", count);
    await bar.getByRole("button", { name: "Download" }).click();
    const files = [first, second, third].map((one) => `${one?.id}.png`).toSorted();
    await expect.poll(() => [...names].toSorted()).toEqual(files);
    page.off("download", count);
    const deleteAfter = async (question: string) => {
      await bar.getByRole("button", { name: "Delete" }).press("Enter");
      const dialog = page.getByRole("dialog", { name: question });
      await dialog.getByRole("button", { name: "Delete" }).press("Enter");
    };
    const refusal = { status: 503, json: { error: { message: "Not now." } } };
    const refused = `**/generations/${second?.id}?*`;
    await page.route(refused, (route) => route.fulfill(refusal));
    await deleteAfter("Delete: 3 generations?");
    await bar.getByText("1 generation not deleted: Not now.").waitFor();
    await bar.getByText("1 selected, 1 file").waitFor();
    await page.unroute(refused);
    await deleteAfter("Delete: 1 generation?");
    await page.getByText("No matches").waitFor();
    await page.getByText("Table", { exact: true }).click();
    await expect(client.images.retrieve(first?.id ?? "")).rejects.toMatchObject({ code: "gone" });
  });
});
