/** Settings, Webhooks: the secret, a test event, and its delivery with attempts and payload. */
import { describe, expect, it } from "vitest";
import { verifyWebhook } from "../../../../clients/typescript/index.ts";
import { startReceiver } from "../../../support/receiver.ts";
import type { Context } from "../context.ts";
import { PHONE, appears, goTo, onPhone, waitUntil } from "../user-actions.ts";

/** Of two lines, in pixels. */
const MAX_ROW_HEIGHT = 70;

export function webhooks(context: Context): void {
  describe("webhooks", () => {
    it("sends a test event signed with the secret shown, and shows the receiver's responses", async () => {
      const { page } = context();
      await using receiver = await startReceiver(
        { status: 200, body: "thanks" },
        { status: 503, body: "busy" },
      );
      await goTo(page, "Webhooks");
      await page.getByRole("button", { name: "Show" }).click();
      const secret = page.getByTestId("secret");
      await page.getByRole("button", { name: "Copy the secret" }).waitFor();
      const url = page.getByRole("textbox", { name: "URL" });
      const send = page.getByRole("button", { name: "Send" });
      await url.fill("nonsense");
      await send.click();
      await page.getByText("Enter a complete URL").waitFor();
      // What is wrong with the field does not move the button beside it.
      expect((await send.boundingBox())?.y).toBe((await url.boundingBox())?.y);
      await url.fill(receiver.url);
      await send.click();
      await page.getByRole("link", { name: "See its delivery" }).waitFor();
      const shownSecret = await secret.innerText();
      await receiver.has(1);
      const [first] = receiver.received;
      const { headers, body } = first ?? { headers: {}, body: Buffer.of() };
      const event = await verifyWebhook(body.toString(), headers, shownSecret);
      expect(event.type).toBe("webhook.test");

      await page.getByRole("link", { name: "See its delivery" }).click();
      await page.getByText("thanks").waitFor();
      expect(await page.getByRole("region", { name: "Payload as JSON" }).innerText()).toContain(
        '"type": "webhook.test"',
      );
      await page.getByText("delivered", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Send again" }).click();
      await page.getByText("busy").waitFor();
      await page.getByText("delivered", { exact: true }).waitFor();
    });

    it("has the command that forwards events, with the package that this service offers", async () => {
      const { page, service } = context();
      await goTo(page, "Webhooks");
      const command = await page.getByRole("region", { name: "Forward events" }).innerText();
      expect(command).toMatch(/^export MEDIA_API_KEY=mgs_(test|live)_…$/m);
      const url = /npx --package (\S+) \\\n +media-generation listen/.exec(command)?.[1] ?? "";
      expect(url).toContain(`${service.url}/docs/packages/`);
      expect((await fetch(url)).status).toBe(200);
    });

    it("sends a sample of the chosen type, and says that it is failing and when the next try is", async () => {
      const { page } = context();
      await using receiver = await startReceiver({ status: 503 });
      await goTo(page, "Webhooks");
      await page.getByRole("combobox", { name: "Event" }).click();
      await page.getByRole("option", { name: "video.generation.completed" }).click();
      await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("link", { name: "See its delivery" }).click();
      // Only the page of the delivery has it; the list before may say of the same delivery when its next try is.
      const payload = page.getByRole("region", { name: "Payload as JSON" });
      await payload.waitFor();
      await page.getByText(/^next try in \d+ (sec|min)\.$/).waitFor();
      await page.getByText("failing", { exact: true }).waitFor();
      expect(JSON.parse(await payload.innerText())).toMatchObject({
        type: "video.generation.completed",
        data: { status: "success", mode: "test" },
      });
    });

    it("says how many deliveries have the chosen status", async () => {
      const { page } = context();
      await goTo(page, "Webhooks");
      const deliveries = page.getByRole("region", { name: "Deliveries" });
      const totals = deliveries.getByRole("status", { name: "Totals" });
      await expect.poll(() => totals.innerText()).toBe("2 deliveries");
      await deliveries.getByRole("combobox", { name: "Status" }).click();
      await page.getByRole("option", { name: "delivered" }).click();
      await expect.poll(() => totals.innerText()).toBe("1 delivery");
      await deliveries.getByRole("combobox", { name: "Status" }).click();
      await page.getByRole("option", { name: "exhausted" }).click();
      await deliveries.getByText("No matches").waitFor();
    });

    it("finds those that fail by that name, also from the overview, which says how many there are", async () => {
      const { page } = context();
      await goTo(page, "Overview");
      await page.getByText("1 webhook delivery is failing").waitFor();
      await page.getByText(/^\d+ Tokens for 1 generation$/).waitFor();
      await page.getByRole("link", { name: "See it" }).click();
      await page.waitForURL("**/settings/webhooks?status=failing");
      const deliveries = page.getByRole("region", { name: "Deliveries" });
      await deliveries.getByRole("status", { name: "Totals" }).getByText("1 delivery").waitFor();
      const table = deliveries.getByRole("table", { name: "Deliveries" });
      await table.getByText("failing").filter({ visible: true }).waitFor();
      expect(await table.getByRole("row").count()).toBe(1 + 1);
    });

    it("shows how the receiver answered last, and sends chosen deliveries again together", async () => {
      const { page } = context();
      await goTo(page, "Webhooks");
      const deliveries = page.getByRole("region", { name: "Deliveries" });
      const table = deliveries.getByRole("table", { name: "Deliveries" });
      await table.getByText("answered 503").filter({ visible: true }).first().waitFor();
      const failing = table.getByRole("row").filter({ hasText: "failing" });
      const { height } = (await failing.boundingBox()) ?? {};
      expect(height).toBeLessThanOrEqual(MAX_ROW_HEIGHT);
      await table.getByRole("checkbox", { name: "Select all shown" }).check();
      const bar = deliveries.getByRole("region", { name: "Selection" });
      await bar.getByText("2 selected").waitFor();
      const sent: string[] = [];
      await page.route("**/redeliver?*", async (route) => {
        sent.push(route.request().url());
        await route.continue();
      });
      await bar.getByRole("button", { name: "Send again" }).click();
      await page.getByText("2 sent again").waitFor();
      await bar.waitFor({ state: "detached" });
      await page.unroute("**/redeliver?*");
      expect(new Set(sent).size).toBe(2);
    });

    it("finds deliveries by event, exact URL and day, and sends all that match again, also those not shown", async () => {
      const { page } = context();
      await goTo(page, "Webhooks");
      const deliveries = page.getByRole("region", { name: "Deliveries" });
      const totals = deliveries.getByRole("status", { name: "Totals" });
      const has = (text: string) => expect.poll(() => totals.innerText()).toBe(text);
      const clear = deliveries.getByRole("button", { name: "Clear the filters" });
      await has("2 deliveries");
      await deliveries.getByRole("combobox", { name: "Type" }).click();
      await page.getByRole("option", { name: "webhook.test" }).click();
      await has("1 delivery");
      const table = deliveries.getByRole("table", { name: "Deliveries" });
      const url = await table.getByText(/^http:/).innerText();
      await deliveries.getByRole("searchbox", { name: "Exact URL" }).fill(`${url}x`);
      await clear.click();
      await has("2 deliveries");
      await deliveries.getByRole("searchbox", { name: "Exact URL" }).fill(url);
      await has("1 delivery");
      await deliveries.getByLabel("From").fill("2099-01-01");
      await clear.click();
      await page.route(/\/deliveries\?(?!.*limit=100)/, async (route) => {
        const response = await route.fetch();
        const { data, ...others } = (await response.json()) as { data: object[] };
        await route.fulfill({
          response,
          json: { ...others, data: data.slice(0, 1), has_more: true },
        });
      });
      await deliveries.getByLabel("From").fill("2024-01-01");
      await has("2 deliveries");
      await expect.poll(() => table.getByRole("row").count()).toBe(1 + 1);
      await table.getByRole("checkbox", { name: "Select all shown" }).check();
      const bar = deliveries.getByRole("region", { name: "Selection" });
      await bar.getByRole("button", { name: "Select all 2 that match" }).click();
      await bar.getByText("2 selected").waitFor();
      const answered = Promise.withResolvers<void>();
      await page.route("**/redeliver?*", async (route) => {
        await answered.promise;
        await route.continue();
      });
      await bar.getByRole("button", { name: "Send again" }).click();
      await bar.getByRole("button", { name: "Stop: 0 of 2" }).waitFor();
      answered.resolve();
      await page.getByText("2 sent again").waitFor();
      await bar.waitFor({ state: "detached" });
    });

    it("takes back what went wrong with a test event when its URL is changed", async () => {
      const { page } = context();
      await goTo(page, "Webhooks");
      const event = page.getByRole("region", { name: "Send a test event" });
      const url = event.getByRole("textbox", { name: "URL" });
      const send = event.getByRole("button", { name: "Send" });
      await url.fill("http://10.0.0.1/hooks");
      await send.click();
      const refusal = event.getByText(/^The URL must begin with https:/);
      await refusal.waitFor();
      await url.fill("notaurl");
      await send.click();
      await event.getByText("Enter a complete URL").waitFor();
      expect(await refusal.count()).toBe(0);
    });

    it("lists a disabled URL so that a phone shows all of it, and enables it again", async () => {
      const { page } = context();
      await using receiver = await startReceiver({ status: 410 });
      await goTo(page, "Webhooks");
      const url = `${receiver.url}/${"long-path-".repeat(12)}`;
      await page.getByRole("textbox", { name: "URL" }).fill(url);
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("link", { name: "See its delivery" }).click();
      await appears(page.getByText("disabled", { exact: true }).first());
      await goTo(page, "Webhooks");
      const item = page.getByRole("list", { name: "Disabled URLs" }).getByRole("listitem");
      const enable = item.getByRole("button", { name: `Enable ${url}` });
      await onPhone(page, async () => {
        for (const part of [item.getByText(url), enable]) {
          const { x = -1, width = 0 } = (await part.boundingBox()) ?? {};
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x + width).toBeLessThanOrEqual(PHONE.width);
        }
        await waitUntil(page, `document.documentElement.scrollWidth <= ${PHONE.width}`);
        await enable.click();
        await item.waitFor({ state: "detached" });
      });
    });

    it("rotates the secret after a confirmation, and says how long the old one also signs", async () => {
      const { page } = context();
      await goTo(page, "Webhooks");
      await page.getByRole("button", { name: "Rotate" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
      await page.getByText("also signs until").waitFor();
      expect(await page.getByTestId("secret").innerText()).toMatch(/^whsec_[A-Za-z0-9+/=]{20,}$/);
    });
  });
}
