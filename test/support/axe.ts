/** Looks for accessibility faults in an open page. */
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** Colours on their way from light to dark have a contrast that nobody reads. A sheet made so is not subject to the CSP. */
const STILL = `
  if (!globalThis.isStill) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, *::before, *::after { transition: none !important; animation: none !important }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    globalThis.isStill = true;
  }`;

/** One line for each fault. The checker stays in the document, because bringing it there takes longer than a check. */
export async function accessibilityFaults(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  await page.evaluate(STILL);
  const asked = JSON.stringify({ ...options, resultTypes: ["violations"] });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${asked})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.join(" ")}: ${any[0]?.message ?? ""}`),
  );
}
