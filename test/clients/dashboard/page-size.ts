/** The size of what a page loads. */
import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";

/** The document, its scripts and its styles that `open` loads: how many they are, and their bytes, gzipped. */
export async function loadedFiles(
  page: Page,
  open: () => Promise<void>,
): Promise<{ count: number; bytes: number }> {
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
  return { count: sizes.length, bytes };
}
