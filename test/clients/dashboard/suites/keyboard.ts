/** The keyboard: where its focus is after something is pressed, and the search that it opens. */
import type { Locator } from "playwright-core";
import { shared } from "../context.ts";
import { PHONE, appears, changeMode, goTo, onPhone, waitUntil } from "../user-actions.ts";
import { violationsOf } from "../violations.ts";

describe("the focus", () => {
  // What fades out is in the document for a while after it is closed.
  beforeAll(() => shared.page.emulateMedia({ reducedMotion: "no-preference" }));
  afterAll(() => shared.page.emulateMedia({ reducedMotion: "reduce" }));
  const hasFocus = (one: Locator) => one.and(shared.page.locator(":focus")).count();

  it("stays on a button whose action goes on, which does nothing more until then", async () => {
    const { page } = shared;
    await goTo(page, "Webhooks");
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    let requests = 0;
    await page.route("**/test-events?*", async (route) => {
      requests += 1;
      asked.resolve();
      await answered.promise;
      await route.fulfill({ status: 503, json: { error: { message: "Not now." } } });
    });
    await page.getByRole("textbox", { name: "URL" }).fill("https://shop.example.com/hooks");
    const send = page.getByRole("button", { name: "Send", exact: true });
    await send.press("Enter");
    await asked.promise;
    await expect.poll(() => send.getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.press("Enter");
    answered.resolve();
    await page.getByText("Not now.").waitFor();
    await expect.poll(() => hasFocus(send)).toBe(1);
    expect(requests).toBe(1);
  });

  it("stays in a field whose value is saved, for live mode only", async () => {
    const { page } = shared;
    await goTo(page, "Usage and billing");
    await page.getByRole("tab", { name: "Limits and alerts" }).press("Enter");
    await page.getByRole("link", { name: "See them" }).press("Enter");
    const field = page.getByLabel("Tokens a day");
    await field.fill("123456");
    await field.press("Enter");
    await page.getByText(/^\d+ of 123,456 used/).waitFor();
    await expect.poll(() => hasFocus(field)).toBe(1);
    await field.fill("");
    await field.press("Enter");
    await page.getByText(/^\d+ of 123,456 used/).waitFor({ state: "detached" });
    await changeMode(page, shared.at("overview"));
  });

  it("is given to the field that the service refused, which says what is wrong with it", async () => {
    const { page } = shared;
    await changeMode(page, `/dashboard/${shared.accountId}/live/billing?tab=limits`);
    const field = page.getByRole("textbox", { name: "Webhook URL for alerts" });
    await field.fill("http://x");
    await page.getByRole("button", { name: "Save alerts" }).press("Enter");
    const said = "The URL must begin with https:// and name a public host.";
    await appears(page.getByText(said, { exact: true }));
    await expect.poll(() => hasFocus(field)).toBe(1);
    const ids = (await field.getAttribute("aria-describedby"))?.match(/\S+/g) ?? [];
    const texts = ids.map((id) => page.locator(`[id="${id}"]`).innerText());
    expect(await Promise.all(texts)).toContain(said);
    expect(await page.getByRole("alert").count()).toBe(0);
    await changeMode(page, shared.at("billing?tab=transactions"));
    const totals = page.getByRole("table", { name: "Totals of the month" });
    const entries = () => totals.locator("tbody td:first-child").allInnerTexts();
    await expect.poll(entries).toEqual(["Opening balance", "added", "charged", "Closing balance"]);
    // The column adds up, and still says what was charged.
    const charge = page.getByRole("table", { name: "Transactions" }).getByText(/ charged\)$/);
    expect(await charge.first().locator("xpath=..").innerText()).toMatch(/^0\n\([\d,]+ charged\)/);
    await changeMode(page, shared.at("overview"));
  });

  it("is not in the closed menu of a phone, which leads to the page that is chosen in it; the page's filters are below a button", async () => {
    const { page } = shared;
    await page.setViewportSize(PHONE);
    const menu = page.getByRole("button", { name: "Open the menu" });
    const link = page.getByRole("link", { name: "Requests" });
    await link.waitFor({ state: "hidden" });
    await menu.press("Enter");
    await link.press("Enter");
    await appears(page.getByRole("heading", { name: "Requests", level: 1 }));
    await link.waitFor({ state: "hidden" });
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
    const method = page.getByRole("combobox", { name: "Method" });
    expect(await method.isVisible()).toBe(false);
    const filters = page.getByRole("button", { name: "Filters", exact: true });
    await filters.press("Enter");
    await appears(method);
    await page.getByRole("combobox", { name: "Status" }).press("Enter");
    await appears(page.getByRole("option", { name: "405" }));
    await page.keyboard.press("Escape");
    const requests = page.getByRole("table", { name: "Requests" });
    const search = page.getByRole("searchbox", { name: "Request-Id or generation" });
    await search.fill("req_1");
    await appears(page.getByText(/^Paste a Request-Id \(req_…\) or a generation's id/));
    for (const other of [page.getByRole("alert"), page.getByText("No matches"), requests])
      expect(await other.count()).toBe(0);
    // Only the id of what is pasted is searched for.
    // The first was made by the API; what the playground makes has no line in the log.
    let made: string | undefined;
    for await (const { id } of shared.client.images.list()) made = id;
    await search.fill(`${"https://media.example.com/".padEnd(300, "x")}/${made}/cancel`);
    await expect.poll(() => search.inputValue()).toBe(made);
    await appears(requests.getByText("/v1/images/generations", { exact: true }).first());
    const [requestId = ""] = await requests.getByText(/^req_/).first().allInnerTexts();
    await search.fill(`{"error": {"request_id": "${requestId}", "generation": "${made}"}}`);
    await expect.poll(() => search.inputValue()).toBe(requestId);
    await appears(requests.getByText(requestId));
    await search.fill("");
  });
});

describe("the search", () => {
  it("opens by Ctrl-K with the focus in its field, marks with arrow keys what Enter opens, and says where it found nothing", async () => {
    const { page } = shared;
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Search" });
    const field = dialog.getByRole("combobox");
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("search");
    const marked = () => dialog.locator("[data-combobox-selected]").allTextContents();
    await field.fill("api key");
    await expect.poll(marked).toEqual(["API keys"]);
    await page.keyboard.press("ArrowDown");
    await expect.poll(marked).not.toEqual(["API keys"]);
    await page.keyboard.press("ArrowUp");
    await expect.poll(marked).toEqual(["API keys"]);
    const active = "document.activeElement.getAttribute('aria-activedescendant')";
    expect(await page.evaluate(`document.getElementById(${active}).textContent`)).toBe("API keys");
    expect(await violationsOf(page)).toEqual([]);
    // The account has received a webhook at such a URL.
    await field.fill("127.0.0.1");
    await appears(dialog.getByRole("option", { name: /^http:\/\/127\.0\.0\.1/ }).first());
    await field.fill("no-such-qqqq");
    await dialog.getByText("No matches", { exact: true }).waitFor();
    await field.fill("audit log");
    await page.keyboard.press("Enter");
    await appears(page.getByRole("heading", { name: "Audit log", level: 1 }));
  });

  it("opens the page of an id, which leads on to the other mode, and finds generations by words", async () => {
    const { page, client, accountId } = shared;
    const { id } = await client.images.create({ model: "gamma-image-3.0-pro", prompt: "Rowing" });
    const dialog = page.getByRole("dialog", { name: "Search" });
    const find = async (text: string) => {
      await goTo(page, "Overview");
      await page.keyboard.press("Control+k");
      await dialog.getByRole("combobox").fill(text);
    };
    await changeMode(page, `/dashboard/${accountId}/live/overview`);
    await find(`https://media.example.com/v1/images/generations/${id}`);
    await dialog.getByRole("option", { name: `Open ${id}` }).waitFor();
    await page.keyboard.press("Enter");
    const box = "(document.querySelector('h1 ~ * a')?.getBoundingClientRect() ?? {})";
    const isCentred = `Math.abs(${box}.left + ${box}.right - innerWidth) < 2`;
    await onPhone(page, () => waitUntil(page, isCentred));
    await page.getByRole("link", { name: "Look in test mode" }).click();
    await page.waitForURL(`**/test/generations/${id}`);
    await find("rowing");
    await dialog.getByRole("option", { name: "Rowing gamma-image-3.0-pro, success" }).click();
    await expect.poll(() => page.url()).toMatch(new RegExp(`/test/generations/${id}$`));
    const error = { message: "x".repeat(200), details: { generation_id: id } };
    await find(JSON.stringify({ error }, undefined, 2));
    await appears(dialog.getByRole("option", { name: `Open ${id}` }));
    // `listen` gives the event of that generation this id.
    await dialog.getByRole("combobox").fill(id.replace("igen", "evt"));
    await dialog.getByRole("option", { name: "Rowing gamma-image-3.0-pro, success" }).click();
    await page.waitForURL(`**/test/generations/${id}`);
  });
});
