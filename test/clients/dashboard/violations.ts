/**
 * What must be wrong with no page: faults of accessibility, sideways scrolling on a phone, content that moves while it
 * loads, a first load that is heavy.
 */
import { gzipSync } from "node:zlib";
import axe, { type AxeResults } from "axe-core";
import type { Page, Response } from "playwright-core";
import { PHONE, onPhone, waitUntil } from "./user-actions.ts";

/** The sum of all shifts since the page was opened; "good" is 0.1 at most. */
export const MAX_LAYOUT_SHIFT = 0.02;

/** Numbers in tables that are wider than their columns. */
const CUT = `[...document.querySelectorAll("main td.number")]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => "cut: " + one.outerHTML.slice(0, 160))`;

/** What a finger misses. */
const LOW = `[...document.querySelectorAll("a.mantine-Anchor-root, button, input[type=checkbox]")]
  .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((one) => one.getBoundingClientRect().height < 24)
  .map((one) => "low: " + one.outerHTML.slice(0, 160))`;

/** Checks all rules, and that a phone shows the page without sideways scrolling, all numbers of tables, and nothing too low to touch. */
export async function violationsOf(
  page: Page,
  colorScheme: "light" | "dark" = "light",
): Promise<string[]> {
  await hasLoaded(page);
  await page.emulateMedia({ colorScheme });
  const faults = await accessibilityFaults(page);
  await onPhone(page, async () => {
    // A chart needs one more frame to fit a resized window.
    await waitUntil(page, `document.documentElement.scrollWidth <= ${PHONE.width}`);
    faults.push(...(await page.evaluate<string[]>(`${LOW}.concat(${CUT})`)));
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

/** Counts shifts of the layout from the next document on. */
export async function countShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.layoutShift = 0;
    globalThis.addShifts = (entries) => {
      for (const { value, hadRecentInput } of entries) if (!hadRecentInput) layoutShift += value;
    };
    globalThis.shifts = new PerformanceObserver((list) => addShifts(list.getEntries()));
    shifts.observe({ type: "layout-shift", buffered: true });`);
}

/** The sum of the shifts since the last call, or since the document was loaded. */
export async function layoutShift(page: Page): Promise<number> {
  // A shift is reported with the frame in which it was painted.
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  return page.evaluate<number>(`(() => {
    addShifts(shifts.takeRecords());
    const sum = layoutShift;
    layoutShift = 0;
    return sum;
  })()`);
}

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
