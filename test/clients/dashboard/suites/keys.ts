/** An API key: shown once, and nowhere afterwards; made to do less, and revoked. */
import type { Page, Route } from "playwright-core";
import { shared } from "../context.ts";
import { goTo } from "../user-actions.ts";

describe("an API key", () => {
  const statusWith = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${shared.service.url}/v1/models`, { headers })).status;
  };

  it("is shown once, works, and is in no page, response or storage afterwards; the focus goes back to what opened the dialog", async () => {
    const { page } = shared;
    const key = await createKey(page, "Laptop");
    const focused = () => page.evaluate("document.activeElement.innerText");
    expect(await focused()).toBe("Copy the key");
    expect(key).toMatch(/^mgs_test_[0-9A-Za-z]{38}$/);
    expect(await statusWith(key)).toBe(200);
    await page.keyboard.press("Escape");
    expect(await page.getByTestId("new-key").innerText()).toBe(key);
    const first = await page.getByRole("region", { name: "First request" }).innerText();
    expect(first.split("\n")[0]).toBe(`export MEDIA_API_KEY=${key}`);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(focused).toBe("Create key");
    expect(await page.content()).not.toContain(key);

    const responses: Promise<string>[] = [];
    page.on("response", (response) => {
      const isStream = response.headers()["content-type"]?.includes("event-stream");
      if (!isStream) responses.push(response.text().catch(() => ""));
    });
    await page.reload();
    const row = page.getByRole("row", { name: "Laptop" });
    await row
      .getByText(`mgs_test_…${key.slice(-4)}`)
      .filter({ visible: true })
      .waitFor();
    page.removeAllListeners("response");
    expect(await page.content()).not.toContain(key);
    for (const text of await Promise.all(responses)) expect(text).not.toContain(key);
    const stored = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])";
    expect(await page.evaluate(stored)).not.toContain(key);
  });

  it("is created to do less, which the list shows, is revoked after a question, and gives the focus back to its menu, at last to the list", async () => {
    const { page } = shared;
    // The key is shown although no read is answered.
    const held: Route[] = [];
    const hold = (route: Route) =>
      route.request().method() === "GET" ? void held.push(route) : route.continue();
    await page.route("**/dashboard/api/accounts/**", hold);
    const key = await createKey(page, "Reports", "Only read");
    await page.unroute("**/dashboard/api/accounts/**", hold);
    await Promise.allSettled(held.map((route) => route.continue()));
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "I have saved it" }).click();
    await dialog.waitFor({ state: "detached" });
    const row = page.getByRole("row", { name: "Reports" });
    await row.getByText("Only reads").waitFor();
    expect(await statusWith(key)).toBe(200);
    const menu = page.getByRole("button", { name: "Actions for Reports" });
    await menu.press("Enter");
    await page.getByRole("menuitem", { name: "Revoke" }).press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const focused = () => page.evaluate("document.activeElement.ariaLabel");
    await expect.poll(focused).toBe("Actions for Reports");
    await menu.click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    await expect.poll(focused).toBe("API keys");
    await expect.poll(() => statusWith(key)).toBe(401);
  });
});

/** Resolves with the complete key, which is shown once. */
async function createKey(page: Page, name: string, access?: string): Promise<string> {
  await goTo(page, "API keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  if (access) {
    await dialog.getByRole("combobox", { name: "May do" }).click();
    await page.getByRole("option", { name: access }).click();
  }
  await dialog.getByRole("button", { name: "Create key" }).click();
  return dialog.getByTestId("new-key").innerText();
}
