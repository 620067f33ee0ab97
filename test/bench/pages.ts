/** Measures when the largest content of each page of the dashboard and of the documentation is painted (LCP). */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { startChromium } from "../clients/dashboard/chromium.ts";
import { ADA, scopeOf, signUp } from "../clients/dashboard/user-actions.ts";
import { oneProcess } from "../support/whole-service.ts";
import { percentiles } from "./measure.ts";

const { values } = parseArgs({
  options: {
    /** How often each page is loaded, each time without a cache; the median counts. */
    loads: { type: "string", default: "5" },
    /** Measures only the pages whose paths contain this, e.g. `dashboard`, `docs` or `settings/`. */
    pages: { type: "string", default: "" },
    /** Fails if a page took longer. */
    "max-ms": { type: "string", default: "1000" },
  },
});
const loads = Number(values.loads);
const maxMs = Number(values["max-ms"]);

const ENTRY_PAGES = ["/dashboard/sign-in", "/dashboard/sign-up"];
const DOCS_PAGES = ["", "/guides/webhooks", "/models", "/reference/create-video-generation"];
const ACCOUNT_PAGES = [
  "overview",
  "playground",
  "generations",
  "billing",
  "settings/keys",
  "settings/webhooks",
  "settings/members",
  "settings/audit-log",
  "settings/account",
];

/** After this time a page has been still for long. */
const SETTLED_MS = 1_500;

/** When the content that is the largest so far was painted, in milliseconds since the load began. */
const LARGEST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) =>
  resolve(list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true }))`;

await using service = await oneProcess();
await using chromium = await startChromium(service.url);
const visitor = await chromium.newPage();
const user = await chromium.newPage();
await signUp(user, ADA);
const { accountId, mode } = scopeOf(user);
const pages: [Page, string][] = [
  ...[...ENTRY_PAGES, ...DOCS_PAGES.map((path) => `/docs${path}`)].map((path): [Page, string] => [
    visitor,
    path,
  ]),
  ...ACCOUNT_PAGES.map((path): [Page, string] => [user, `/dashboard/${accountId}/${mode}/${path}`]),
];
for (const page of [visitor, user]) await withoutCache(page);
for (const [page, path] of pages.filter(([, name]) => name.includes(values.pages))) {
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) times.push(await largestPaintMs(page, path));
  const [median = 0] = percentiles(times, [0.5]);
  if (median > maxMs) process.exitCode = 1;
  const name = path.replace(`${accountId}/${mode}/`, "…/").padEnd(44);
  const figures = [median, Math.min(...times), Math.max(...times)].map((ms) =>
    String(Math.round(ms)).padStart(6),
  );
  process.stdout.write(`${name}${figures.join(" ")} ms (median, least, most)\n`);
}

/** Each load is that of a first visit. */
async function withoutCache(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Network.enable");
  await devTools.send("Network.setCacheDisabled", { cacheDisabled: true });
}

async function largestPaintMs(page: Page, path: string): Promise<number> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  // The event stream of an account's page never ends, so that the network is never idle.
  await page.waitForTimeout(SETTLED_MS);
  return page.evaluate<number>(LARGEST_PAINT);
}
