/** Takes the pictures of every page for docs/screenshots: `npm run screenshots`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Page } from "playwright-core";
import { startReceiver } from "../../support/receiver.ts";
import { clientOf } from "../../support/customer.ts";
import { oneProcess } from "../../support/whole-service.ts";
import type { WholeService } from "../../support/whole-service.ts";
import { startChromium } from "./chromium.ts";
import { inventedUsage } from "./invented-usage.ts";
import { ADA, placeOf, signUp, until } from "./person.ts";

const DIRECTORY = fileURLToPath(new URL("../../../docs/screenshots/", import.meta.url));
const WEBP_QUALITY = 80;

const LOOKS = [
  { look: "light", colorScheme: "light", viewport: { width: 1280, height: 860 } },
  { look: "dark", colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  { look: "phone", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;

const PROMPTS = [
  "A paper boat on a mountain lake at dawn",
  "Snow falling on a quiet harbour town",
  "A comet over a desert, time-lapse",
  "Whales under the northern lights",
  "A meadow of poppies in the wind",
];

await using service = await oneProcess({ SIMULATOR_RENDER: "draw", SIMULATOR_PACE_MS: "1500" });
await using chromium = await startChromium(service.url);
await using receiver = await startReceiver({ status: 503, body: "restarting" });
const first = await chromium.newPage();
await signUp(first, ADA);
const { accountId } = placeOf(first);
const made = await lived(service, accountId, receiver.url);
await receiver.has(2);
const storageState = await first.context().storageState();
await mkdir(DIRECTORY, { recursive: true });

for (const { look, ...options } of LOOKS) {
  const stranger = await chromium.newPage(options);
  await shoot(stranger, "/dashboard/sign-in", "sign-in", look);
  const page = await chromium.newPage({ ...options, storageState });
  await page.route("**/usage?*", (route) => route.fulfill({ json: inventedUsage(Date.now()) }));
  const at = (path: string, mode = "live") => `/dashboard/${accountId}/${mode}/${path}`;
  await shoot(page, at("overview"), "overview", look);
  await shoot(page, at("playground", "test"), "playground", look, generated);
  await shoot(page, at("generations"), "generations", look);
  await shoot(page, at(`generations/${made.videoId}`), "generation", look);
  await shoot(page, at("billing"), "billing", look);
  await shoot(page, at("settings/keys"), "keys", look);
  await shoot(page, at("settings/webhooks"), "webhooks", look);
  await shoot(page, at(`settings/webhooks/${made.deliveryId}`), "delivery", look);
  await shoot(page, at("settings/members"), "members", look);
  await shoot(page, at("settings/account"), "account", look);
}

/** An account with a little history: Tokens, keys, videos, a picture, and a webhook that arrived late. */
async function lived({ ops, url }: WholeService, account: string, webhookUrl: string) {
  await ops("account", "grant-production", "--account", account);
  await ops("recharge", "--account", account, "--tokens", "100000");
  const key = (mode: string, name: string) =>
    ops<{ key: string }>("key", "create", "--account", account, "--mode", mode, "--name", name);
  await key("test", "Laptop");
  const client = clientOf(url, (await key("live", "Production server")).key);
  const create = (prompt: string) =>
    client.createVideo({ model: "alpha-2.0", prompt, webhook_url: webhookUrl });
  const ids: string[] = [];
  for (const prompt of PROMPTS) {
    const { id } = await create(prompt);
    await client.waitForVideo(id, { pollMs: 200 });
    ids.push(id);
  }
  await client.createImage({ model: "gamma-image-3.0-pro", prompt: "A lighthouse in blue ink" });
  const [videoId = ""] = ids;
  for await (const { id } of client.listDeliveries({ generation_id: videoId })) {
    return { videoId, deliveryId: id };
  }
  throw new Error("the webhook has no delivery");
}

async function generated(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("A red kite over the sea");
  await page.getByRole("button", { name: "Generate" }).click();
  await page.locator("video").waitFor();
}

async function shoot(
  page: Page,
  path: string,
  name: string,
  look: string,
  prepare?: (page: Page) => Promise<void>,
): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await prepare?.(page);
  await until(
    page,
    'document.querySelector(".mantine-Loader-root, .mantine-Skeleton-root") === null',
  );
  await until(page, "[...document.images].every(({ naturalWidth }) => naturalWidth > 0)");
  await until(
    page,
    '[...document.querySelectorAll("video")].every(({ readyState }) => readyState >= 2)',
  );
  const picture = await loadImage(await page.screenshot());
  const canvas = createCanvas(picture.width, picture.height);
  canvas.getContext("2d").drawImage(picture, 0, 0);
  await writeFile(
    join(DIRECTORY, `${name}-${look}.webp`),
    canvas.toBuffer("image/webp", WEBP_QUALITY),
  );
}
