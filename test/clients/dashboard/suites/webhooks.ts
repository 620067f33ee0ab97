/**
 * Settings, Webhooks: the secret that signs a test event, its delivery with attempts and payload, and a URL that is
 * disabled.
 */
import { verifyWebhook } from "../../../../clients/typescript/index.ts";
import { startReceiver } from "../../../support/receiver.ts";
import { shared } from "../context.ts";
import { appears, goTo } from "../user-actions.ts";

describe("webhooks", () => {
  it("sends a test event signed with the secret shown, and shows how the receiver answered each time", async () => {
    const { page } = shared;
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
    await page.getByText(/enter a URL/i).waitFor();
    await url.fill("https://10.0.0.1/");
    await send.click();
    await appears(
      page.getByRole("link", { name: "/docs/guides/webhook-receivers#on-your-machine" }),
    );
    await url.fill(receiver.url);
    await send.click();
    await page.getByRole("link", { name: "See its delivery" }).waitFor();
    const shownSecret = await secret.innerText();
    await receiver.has(1);
    const { headers, body } = receiver.received[0] ?? { headers: {}, body: Buffer.of() };
    const event = await verifyWebhook(body.toString(), headers, shownSecret);
    expect(event.type).toBe("webhook.test");
    await page.getByRole("link", { name: "See its delivery" }).click();
    await page.getByText("thanks").waitFor();
    const payload = page.getByRole("region", { name: "Payload as JSON" });
    expect(JSON.parse(await payload.innerText())).toMatchObject({ type: "webhook.test" });
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("busy").waitFor();
    await goTo(page, "Webhooks");
    await page.getByRole("checkbox", { name: "Select: webhook.test" }).first().click();
    const bar = page.getByRole("region", { name: "Selection" });
    await bar.getByRole("button", { name: "Send again" }).click();
    await page.getByText("1 webhook sent again").waitFor();
    await receiver.has(3);
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await page.getByText("also signs until").waitFor();
    expect(await secret.innerText()).not.toBe(shownSecret);
  });

  it("lists a disabled URL, and enables it again", async () => {
    const { page } = shared;
    await using receiver = await startReceiver({ status: 410 });
    await goTo(page, "Webhooks");
    await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("link", { name: "See its delivery" }).click();
    await appears(page.getByText("disabled", { exact: true }).first());
    await goTo(page, "Webhooks");
    const item = page.getByRole("table", { name: "Disabled URLs" });
    await item.getByRole("button", { name: `Enable ${receiver.url}` }).click();
    await expect.poll(() => item.count()).toBe(0);
  });
});
