/** The size of the first page that a user loads. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Context } from "../context.ts";

const MAX_BYTES = 250_000;

export function pageSize(context: Context): void {
  describe("the first page", () => {
    it.each([
      ["for a user who signs in", "/dashboard/sign-in", "Sign in", false],
      ["for a user who is signed in", "/dashboard", "Overview", true],
    ])("loads at most 250 kB, gzipped, %s", async (_user, path, heading, isSignedIn) => {
      const { chromium, page: signedIn } = context();
      const cookies = isSignedIn ? await signedIn.context().cookies() : [];
      const page = await chromium.newPage();
      await page.context().addCookies(cookies);
      const sizes: Promise<number>[] = [];
      page.on("response", (response) => {
        const type = response.headers()["content-type"] ?? "";
        if (!/javascript|css|html/.test(type)) return;
        sizes.push(response.body().then((body) => gzipSync(body).length));
      });
      await page.goto(path);
      await page.getByRole("heading", { name: heading }).waitFor();
      await page.waitForLoadState("load");
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
      await page.context().close();
    });
  });
}
