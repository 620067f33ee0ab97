/** Takes a screenshot of every page for docs/screenshots: `npm run screenshots`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Page } from "playwright-core";
import type { components } from "#gen/openapi/dashboard.ts";
import { startReceiver } from "../../support/receiver.ts";
import { clientOf } from "../../support/customer.ts";
import { oneProcess, type WholeService } from "../../support/whole-service.ts";
import { startChromium } from "./chromium.ts";
import { ADA, completeSignUp, scopeOf, waitUntil } from "./user-actions.ts";
import { hasLoaded } from "./violations.ts";

const DIRECTORY = fileURLToPath(new URL("../../../docs/screenshots/", import.meta.url));
const WEBP_QUALITY = 80;

const VARIANTS = [
  { variant: "light", colorScheme: "light", viewport: { width: 1280, height: 860 } },
  { variant: "dark", colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  { variant: "phone", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;

const PROMPTS = [
  "A paper boat on a mountain lake at dawn",
  "Snow falling on a quiet harbour town",
  "A comet over a desert, time-lapse",
  "Whales under the northern lights",
  "A meadow of poppies in the wind",
];

const MODELS = [
  { model: "alpha-2.0", tokens: 210, maxGenerations: 9 },
  { model: "beta-3.0-video", tokens: 500, maxGenerations: 5 },
  { model: "gamma-image-3.0-pro", tokens: 42, maxGenerations: 23 },
];

await using service = await oneProcess({ SIMULATOR_RENDER: "draw", SIMULATOR_PACE_MS: "1500" });
await using chromium = await startChromium(service);
await using receiver = await startReceiver({ status: 503, body: "restarting" });
const first = await chromium.newPage();
await first.goto("/dashboard/sign-up");
await first.getByLabel("E-mail").fill(ADA.email);
await completeSignUp(first, ADA);
const { accountId } = scopeOf(first);
const history = await createHistory(service, accountId, receiver.url);
await receiver.has(2);
const storageState = await first.context().storageState();
await mkdir(DIRECTORY, { recursive: true });

for (const { variant, ...options } of VARIANTS) {
  const signedOut = await chromium.newPage(options);
  await takeScreenshot(signedOut, "/dashboard/sign-in", "sign-in", variant);
  const page = await chromium.newPage({ ...options, storageState });
  await page.route("**/usage/groups?*group_by=day*", (route) =>
    route.fulfill({ json: sampleUsage() }),
  );
  const at = (path: string, mode = "live") => `/dashboard/${accountId}/${mode}/${path}`;
  for (const name of ["overview", "generations", "billing", "requests"])
    await takeScreenshot(page, at(name), name, variant);
  await takeScreenshot(page, at("playground", "test"), "playground", variant, generateVideo);
  await takeScreenshot(page, at(`generations/${history.videoId}`), "generation", variant);
  for (const name of ["keys", "webhooks", "members", "audit-log", "account"])
    await takeScreenshot(page, at(`settings/${name}`), name, variant);
  await takeScreenshot(page, at(`settings/webhooks/${history.deliveryId}`), "delivery", variant);
}

/** A month of made-up usage, which a newly started service does not have. */
function sampleUsage(): components["schemas"]["UsageGroups"] {
  const data = Array.from({ length: 30 }, (_, index) => {
    const date = new Date(Date.now() - (29 - index) * 86_400_000).toISOString().slice(0, 10);
    return MODELS.map(({ model, tokens, maxGenerations }, modelIndex) => {
      const generations = (index * 7 + modelIndex * 5 + index * index) % maxGenerations;
      return { date, model, generations, tokens: generations * tokens };
    }).filter(({ generations }) => generations > 0);
  }).flat();
  return { object: "usage.groups", from: data[0]?.date ?? "", to: data.at(-1)?.date ?? "", data };
}

/** Gives the account Tokens, keys, videos, an image, and a webhook whose first attempt failed. */
async function createHistory({ ops, url }: WholeService, account: string, webhookUrl: string) {
  await ops("account", "grant-production", "--account", account);
  await ops("recharge", "--account", account, "--tokens", "100000", "--no-reference");
  const key = (mode: string, name: string) =>
    ops<{ key: string }>("key", "create", "--account", account, "--mode", mode, "--name", name);
  await key("test", "Laptop");
  const client = clientOf(url, (await key("live", "Production server")).key);
  const create = (prompt: string) =>
    client.videos.create({ model: "alpha-2.0", prompt, webhook_url: webhookUrl });
  const ids: string[] = [];
  for (const prompt of PROMPTS) {
    const { id } = await create(prompt);
    await client.videos.wait(id, { pollMs: 200 });
    ids.push(id);
  }
  await client.images.create({ model: "gamma-image-3.0-pro", prompt: "A lighthouse in blue ink" });
  const [videoId = ""] = ids;
  for await (const { id } of client.deliveries.list({ generation_id: videoId })) {
    return { videoId, deliveryId: id };
  }
  throw new Error("the video has no webhook delivery");
}

async function generateVideo(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Prompt", exact: true }).fill("A red kite over the sea");
  await page.getByRole("button", { name: "Generate" }).click();
  await page.locator("video").waitFor();
}

async function takeScreenshot(
  page: Page,
  path: string,
  name: string,
  variant: string,
  prepare?: (page: Page) => Promise<void>,
): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await prepare?.(page);
  await hasLoaded(page);
  await waitUntil(page, "[...document.images].every(({ naturalWidth }) => naturalWidth > 0)");
  await waitUntil(
    page,
    '[...document.querySelectorAll("video")].every(({ readyState }) => readyState >= 2)',
  );
  const picture = await loadImage(await page.screenshot());
  const canvas = createCanvas(picture.width, picture.height);
  canvas.getContext("2d").drawImage(picture, 0, 0);
  await writeFile(
    join(DIRECTORY, `${name}-${variant}.webp`),
    canvas.toBuffer("image/webp", WEBP_QUALITY),
  );
}
