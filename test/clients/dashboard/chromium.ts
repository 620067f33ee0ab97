/** Headless Chromium for these tests; records every request to another host and every error of a page. */
import { existsSync } from "node:fs";
import { chromium, type BrowserContextOptions } from "playwright-core";
import { DESK } from "./user-actions.ts";

/** It has no window to draw for, and takes a third less processor than the whole browser. */
const DEBIAN_CHROMIUM = "/usr/bin/chromium-headless-shell";
/** Long, because other test files may keep the machine busy. */
const TIMEOUT_MS = 60_000;

/** `started` is the service, whose start goes on meanwhile. */
export async function startChromium(started: { url: string } | Promise<{ url: string }>) {
  const requested: string[] = [];
  /** What the pages logged as errors: policy violations and uncaught exceptions. */
  const errors: string[] = [];
  await using stack = new AsyncDisposableStack();
  const browser = await chromium.launch({
    executablePath: findChromium(process.env["CHROMIUM_PATH"]),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--mute-audio",
      // No other host is reached. Playwright's own routes would turn the cache of files off.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
  stack.defer(() => browser.close());
  const { url: baseUrl } = await started;
  const running = stack.move();
  return {
    errors,
    /** The requested URLs that are not under `baseUrl`. */
    externalRequests: () =>
      requested.filter((url) => !/^(data|blob|about):/.test(url) && !url.startsWith(`${baseUrl}/`)),
    /** A page with its own cookies and storage. */
    newPage: async (options?: BrowserContextOptions) => {
      const context = await browser.newContext({
        baseURL: baseUrl,
        reducedMotion: "reduce",
        viewport: DESK,
        ...options,
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      const page = await context.newPage();
      page.on("request", (request) => requested.push(request.url()));
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("console", (message) => {
        // The browser also logs every error response. Tests provoke some of them and check what the page shows.
        const isErrorResponse = message.text().startsWith("Failed to load resource");
        if (message.type() === "error" && !isErrorResponse) errors.push(message.text());
      });
      return page;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function findChromium(named: string | undefined): string {
  const path = named ?? DEBIAN_CHROMIUM;
  if (existsSync(path)) return path;
  throw new Error(
    `Chromium not found at ${path}. Install it (apt-get install chromium-headless-shell), or set CHROMIUM_PATH to the program.`,
  );
}
