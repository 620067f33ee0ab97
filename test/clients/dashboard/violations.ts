/** What must be wrong with no page: faults of accessibility, sideways scrolling on a phone, a first load that is heavy. */
import { gzipSync } from "node:zlib";
import axe, { type AxeResults } from "axe-core";
import type { Page, Response } from "playwright-core";
import { PHONE, onPhone, waitUntil } from "./user-actions.ts";

/** Numbers in tables that are wider than their columns. */
const CUT = `[...document.querySelectorAll("main td.number")]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => "cut: " + one.outerHTML.slice(0, 160))`;

/** Checks all rules, and that a phone shows the page without sideways scrolling and all numbers of tables. */
export async function violationsOf(page: Page, colorScheme: "light" | "dark" = "light") {
  await hasLoaded(page);
  await page.emulateMedia({ colorScheme });
  const faults = await accessibilityFaults(page);
  await onPhone(page, async () => {
    // A chart needs one more frame to fit a resized window.
    await waitUntil(page, `document.documentElement.scrollWidth <= ${PHONE.width}`);
    faults.push(...(await page.evaluate<string[]>(CUT)));
  });
  return faults.map((fault) => `${colorScheme}: ${fault}`);
}

/** Colours on their way from light to dark have a contrast that nobody reads. A sheet made so is not subject to the CSP. */
const STILL = `
  if (!globalThis.isStill) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, *::before, *::after { transition: none !important; animation: none !important }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    globalThis.isStill = true;
  }`;

/** One line for each fault. The checker stays in the document, because bringing it there takes longer than a check. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  await page.evaluate(STILL);
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.join(" ")}: ${any[0]?.message ?? ""}`),
  );
}

export const hasLoaded = (page: Page): Promise<void> =>
  waitUntil(
    page,
    "document.querySelector('[role=status] .mantine-Loader-root, .mantine-Skeleton-root') === null",
  );

const MAX_BYTES = 250_000;
/** The document, what pages share and the page itself. */
const MAX_FILES = 8;

/** The faults of a first load: more than 250 kB of documents, scripts and styles, gzipped, or more than a few files. */
export async function loadFaults(page: Page, open: () => Promise<void>): Promise<string[]> {
  const sizes: Promise<number>[] = [];
  const count = (response: Response) => {
    const type = response.headers()["content-type"] ?? "";
    if (!/javascript|css|html/.test(type)) return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  };
  page.on("response", count);
  await open();
  await page.waitForLoadState("load");
  page.off("response", count);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  // Less is no page of the dashboard.
  const isRight = bytes > 100_000 && bytes <= MAX_BYTES && sizes.length <= MAX_FILES;
  return isRight ? [] : [`loads ${bytes} bytes in ${sizes.length} files`];
}
