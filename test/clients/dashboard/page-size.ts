/** The size of what a page loads. */
import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";

/** The bytes of the document, its scripts and its styles that `open` loads, gzipped. */
export async function loadedBytes(page: Page, open: () => Promise<void>): Promise<number> {
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
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
