/** The search of every page: by Ctrl-K, for ids and words, and what it says that it searched. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { clientOf } from "../../../support/customer.ts";
import type { Context } from "../context.ts";
import { violationsOf } from "./every-page.ts";
import { createKey, goTo, openInMode, scopeOf, waitUntil } from "../user-actions.ts";

const REQUEST_ID = "order-4711-of-shop";

export function search(context: Context): void {
  describe("the search", () => {
    it("finds a generation by its id, its order and the request that created it, from every page", async () => {
      const { page, service } = context();
      const secret = await createKey(page, "Search");
      await page.getByRole("button", { name: "I have saved it" }).click();
      const created = await fetch(`${service.url}/v1/videos/generations`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${secret}`,
          "content-type": "application/json",
          "request-id": REQUEST_ID,
        },
        body: JSON.stringify({
          model: "beta-3.0-video",
          prompt: "Rowing home",
          metadata: { order_id: "A-4711" },
        }),
      });
      const { id } = (await created.json()) as { id: string };
      await clientOf(service.url, secret).videos.wait(id);
      for (const [from, text] of [
        ["Overview", id],
        ["Members", "a-4711 ROWING"],
        ["Members", "order_id=A-4711"],
        ["Usage and billing", REQUEST_ID],
      ] as const) {
        await goTo(page, from);
        const dialog = await open(page);
        await dialog.getByRole("combobox").fill(text);
        await dialog.getByRole("option", { name: "Rowing home" }).waitFor();
        await page.keyboard.press("Enter");
        await page.waitForURL(`**/test/generations/${id}`);
        await dialog.waitFor({ state: "detached" });
        await page.getByText("Rowing home").first().waitFor();
        expect(scopeOf(page).mode).toBe("test");
      }
    });

    it("leads to a request that was refused, in the list of requests", async () => {
      const { page, service } = context();
      const secret = await createKey(page, "Refused");
      await page.getByRole("button", { name: "I have saved it" }).click();
      const refused = await fetch(`${service.url}/v1/models/nothing`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      const requestId = refused.headers.get("request-id") ?? "";
      await fetch(`${service.url}/v1/images/generations`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "gamma-image-3.0-pro" }),
      });
      await goTo(page, "Requests");
      const missing = page.getByRole("link", { name: "missing_field: prompt" });
      await missing.filter({ visible: true }).waitFor();
      const failed = { name: "POST /v1/images/generations" };
      await page.getByRole("button", failed).first().click();
      const faulty = page.getByRole("dialog", failed);
      expect(await faulty.innerText()).toMatch(/At fault\s+prompt/);
      await page.keyboard.press("Escape");
      await faulty.waitFor({ state: "detached" });
      // The list is made again every few seconds, so that it shows the request once it is written.
      await page.getByText(requestId).waitFor();
      await goTo(page, "Members");
      const dialog = await open(page);
      await dialog.getByRole("combobox").fill(requestId);
      await dialog.getByRole("link", { name: "Request of test mode" }).click();
      await page.waitForURL(`**/test/requests?id=${requestId}`);
      const table = page.getByRole("table", { name: "Requests" });
      await table.getByText("GET /v1/models/{id}").waitFor();
      await table.getByRole("link", { name: "model_not_found" }).waitFor();
      await table.getByText("Refused").waitFor();
      expect(await table.getByRole("row").count()).toBe(2);
      const error = table.getByRole("link", { name: "model_not_found" });
      expect(await error.getAttribute("href")).toBe("/docs/errors/model_not_found");
      await table.getByText("Refused").click();
      const details = page.getByRole("dialog", { name: "GET /v1/models/{id}" });
      await details.getByText(requestId).waitFor();
      const meaning = details.getByRole("link", { name: "What it means" });
      expect(await meaning.getAttribute("href")).toBe("/docs/errors/model_not_found");
      await page.keyboard.press("Escape");
      await details.waitFor({ state: "detached" });
    });

    it("filters requests by id, status and key, and says what can be no id", async () => {
      const { page } = context();
      await goTo(page, "Requests");
      const table = page.getByRole("table", { name: "Requests" });
      const field = page.getByRole("searchbox", { name: "Request-Id or generation" });
      await field.fill("?");
      await page.getByText("8 to 64 letters, digits, _ or -").waitFor();
      await field.fill("");
      await page.getByRole("combobox", { name: "Status" }).click();
      await page.getByRole("option", { name: "5xx" }).click();
      await page.getByText("No matches").waitFor();
      await page.getByRole("combobox", { name: "Status" }).click();
      await page.getByRole("option", { name: "404" }).click();
      await table.getByRole("link", { name: "model_not_found" }).first().waitFor();
      await page.getByRole("combobox", { name: "Key" }).click();
      await page.getByRole("option", { name: "Search" }).click();
      await page.getByText("No matches").waitFor();
      expect(new URL(page.url()).searchParams.get("status")).toBe("404");
    });

    it("has the requests that are chosen as a file", async () => {
      const { page } = context();
      const file = page.getByRole("link", { name: "CSV of requests" });
      const { accountId } = scopeOf(page);
      expect(await file.getAttribute("href")).toMatch(
        new RegExp(`/accounts/${accountId}/request-log\\.csv\\?mode=test&status=404&key_id=key_`),
      );
    });

    it("filters requests by day", async () => {
      const { page } = context();
      await goTo(page, "Members");
      await goTo(page, "Requests");
      const table = page.getByRole("table", { name: "Requests" });
      await page.getByLabel("From", { exact: true }).fill("2999-01-01");
      await page.getByText("No matches").waitFor();
      await page.getByLabel("From", { exact: true }).fill("");
      await page.getByLabel("To", { exact: true }).fill("2999-01-01");
      await table.getByRole("link", { name: "model_not_found" }).first().waitFor();
      expect(new URL(page.url()).search).toBe("?to=2999-01-01");
    });

    it("leads to the delivery and the key of an id, from the other mode too", async () => {
      const { page } = context();
      await goTo(page, "Webhooks");
      const link = page.getByRole("table", { name: "Deliveries" }).getByRole("link").first();
      const delivery = (await link.getAttribute("href"))?.split("/").at(-1) ?? "";
      expect(delivery).toMatch(/^whd_/);
      await openInMode(page, "live", "overview");
      const dialog = await open(page);
      await dialog.getByRole("combobox").fill(` ${delivery} `);
      await dialog.getByRole("link", { name: "Webhook delivery of test mode" }).click();
      await page.waitForURL(`**/test/settings/webhooks/${delivery}`);
      const event = await page.getByText(/^evt_/).first().innerText();
      await openInMode(page, "live", "overview");
      await open(page);
      await dialog.getByRole("combobox").fill(event);
      await dialog.getByRole("link", { name: "Webhook delivery of test mode" }).click();
      await page.waitForURL(`**/test/settings/webhooks/${delivery}`);
    });

    it("finds a key by its name, and the generations of an end user by theirs", async () => {
      const { page, service } = context();
      const secret = await createKey(page, "Storefront");
      await page.getByRole("button", { name: "I have saved it" }).click();
      const endUser = "customer 4711/a";
      await clientOf(service.url, secret).images.create({
        model: "gamma-image-3.0-pro",
        prompt: "A lamp",
        end_user: endUser,
      });
      const dialog = await open(page);
      await dialog.getByRole("combobox").fill("storefr");
      const keys = dialog.getByRole("listbox", { name: "API keys" }).getByRole("option");
      const found = [`Storefront …${secret.slice(-4)}`];
      await expect.poll(() => keys.allInnerTexts()).toEqual(found);
      await dialog.getByRole("combobox").fill(endUser);
      await dialog.getByRole("option", { name: `Generations of end user ${endUser}` }).click();
      await page.waitForURL(`**/test/generations?end_user=${encodeURIComponent(endUser)}`);
      const table = page.getByRole("table", { name: "Generations" });
      await table.getByRole("link", { name: "A lamp" }).waitFor();
    });

    it("finds pages of the dashboard and of the documentation by name", async () => {
      const { page } = context();
      const dialog = await open(page);
      await dialog.getByRole("combobox").fill("api keys");
      await dialog
        .getByRole("listbox", { name: "Documentation" })
        .getByRole("option")
        .first()
        .waitFor();
      const pages = dialog.getByRole("listbox", { name: "Pages" }).getByRole("option");
      // A guide about webhooks has neither the word nor its beginning: the documentation's own search knows what is meant.
      await dialog.getByRole("combobox").fill("callback signatur");
      const guide = dialog.getByRole("listbox", { name: "Documentation" }).getByRole("option");
      await guide
        .filter({ hasText: /webhook/i })
        .first()
        .waitFor();
      await dialog.getByRole("combobox").fill("api keys");
      await expect.poll(() => pages.count()).toBe(1);
      expect(await pages.allInnerTexts()).toEqual(["API keys"]);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
      await dialog.waitFor({ state: "detached" });
    });

    it("has the focus in its field each time it opens, however it was closed, and opens what Enter asked for early", async () => {
      const { page } = context();
      const dialog = await open(page);
      await hasFocus(page);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await open(page);
      await hasFocus(page);
      const { y: before } = (await dialog.getByRole("combobox").boundingBox()) ?? {};
      await page.keyboard.type("audit log");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Search", exact: true }).click();
      await hasFocus(page);
      await page.keyboard.type("no-such-qqqq");
      await dialog.getByText("No matches", { exact: true }).waitFor();
      // The field has not moved.
      expect((await dialog.getByRole("combobox").boundingBox())?.y).toBe(before);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });

    it("offers all pages and what can be done on them before anything is typed, and finds an action by name", async () => {
      const { page } = context();
      const dialog = await open(page);
      const pages = dialog.getByRole("listbox", { name: "Pages" }).getByRole("option");
      const actions = dialog.getByRole("listbox", { name: "Actions" }).getByRole("option");
      const menu = page.getByRole("navigation", { name: "Pages", includeHidden: true });
      const links = await menu.getByRole("link", { includeHidden: true }).allTextContents();
      expect(await pages.allTextContents()).toEqual(
        expect.arrayContaining(links.filter((name) => name !== "API reference")),
      );
      expect(await actions.count()).toBeGreaterThan(1);
      await page.keyboard.press("Enter");
      await page.keyboard.type("create key");
      await expect.poll(() => actions.allTextContents()).toEqual(["Create an API key"]);
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Create an API key of test mode" }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(() => new URL(page.url()).search).toBe("");
      await dialog.waitFor({ state: "detached" });
    });

    it("marks one of what it finds, which arrow keys change and Enter opens", async () => {
      const { page } = context();
      const dialog = await open(page);
      const marked = dialog.getByRole("option", { selected: true });
      const active = () =>
        page.evaluate(
          "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))?.textContent",
        );
      await page.keyboard.type("m");
      await expect.poll(async () => (await marked.allTextContents()).length).toBe(1);
      const first = await active();
      await page.keyboard.press("ArrowDown");
      const second = await active();
      expect(second).not.toBe(first);
      expect(await marked.allTextContents()).toEqual([second]);
      await page.keyboard.press("ArrowUp");
      expect(await active()).toBe(first);
      await dialog.getByRole("combobox").fill("dark");
      await expect.poll(active).toBe("Dark colours");
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" });
      const scheme = "document.documentElement.dataset.mantineColorScheme";
      expect(await page.evaluate(scheme)).toBe("dark");
      await open(page);
      await page.keyboard.type("light");
      await expect.poll(active).toBe("Light colours");
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" });
    });

    it("says below all that it found what it searched", async () => {
      const { page } = context();
      const dialog = await open(page);
      await dialog.getByRole("combobox").fill("webhook");
      const docs = dialog.getByRole("listbox", { name: "Documentation" });
      await docs.waitFor();
      const searched = dialog.getByText("Searched ids, metadata and prompts");
      await searched.waitFor();
      const [above, below] = [await docs.boundingBox(), await searched.boundingBox()];
      expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });

    it("says what it searched where it finds nothing", async () => {
      const { page } = context();
      const dialog = await open(page);
      const field = dialog.getByRole("combobox");
      for (const [text, said] of [
        [
          "no-such-qqqq",
          "Searched ids, metadata and prompts of all test generations of this account.",
        ],
        ["vgen_2zjrwfavgwd8tj2ht7shw0cw42", "No generation has this id, in live or test mode."],
        ["req_2zjrwfavgwd8tj2ht7shw0cw42", "is not among the requests that are kept"],
        ["key_2zjrwfavgwd8tj2ht7shw0cw42", "No API key has this id"],
      ] as const) {
        await field.fill(text);
        await dialog.getByText(said).waitFor();
        await dialog.getByText("No matches", { exact: true }).waitFor();
        expect(
          await dialog.getByRole("listbox", { name: "Generations" }).getByRole("option").count(),
        ).toBe(0);
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });
  });
}

/** Resolves once the dialog is fully open with the focus in its field, and fails where the focus stays elsewhere. */
async function hasFocus(page: Page): Promise<void> {
  await page.getByRole("dialog", { name: "Search" }).getByRole("combobox").waitFor();
  // The dialog sets the focus in a timer of its own, after the field is there.
  await page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done)))");
  await waitUntil(
    page,
    "document.getAnimations().every(({ playState }) => playState !== 'running')",
  );
  expect(await page.evaluate("document.activeElement.type")).toBe("search");
}

async function open(page: Page) {
  await page.keyboard.press("Control+k");
  const dialog = page.getByRole("dialog", { name: "Search" });
  await dialog.getByRole("combobox").waitFor();
  return dialog;
}
