/** How far the content of a page moves while it loads, as browsers count it (CLS). */
import type { Page } from "playwright-core";

const OBSERVE = `
  globalThis.layoutShift = 0;
  globalThis.addShifts = (entries) => {
    for (const { value, hadRecentInput } of entries) if (!hadRecentInput) layoutShift += value;
  };
  globalThis.shifts = new PerformanceObserver((list) => addShifts(list.getEntries()));
  shifts.observe({ type: "layout-shift", buffered: true });`;

/** Counts from the next document on. */
export async function countShifts(page: Page): Promise<void> {
  await page.addInitScript(OBSERVE);
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
