/** The browser of these tests: Chromium without a window, of which every request and complaint is kept. */
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { BrowserContextOptions, Page } from "playwright-core";

const DEBIAN_CHROMIUM = "/usr/bin/chromium";
/** Generous: the machine may be busy with everything else that is tested. */
const TIMEOUT_MS = 20_000;

export type Chromium = AsyncDisposable & {
  /** A page with cookies and storage of its own. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>;
  /** Addresses that were asked for and are not below one of the service's. */
  outside: () => string[];
  /** What the pages wrote as errors: broken policies, lost files, exceptions. */
  complaints: string[];
};

/** `baseUrl` is the service's public address; nothing else may be asked for anything. */
export async function startChromium(baseUrl: string): Promise<Chromium> {
  const requested: string[] = [];
  const complaints: string[] = [];
  const browser = await chromium.launch({
    executablePath: findChromium(process.env["CHROMIUM_PATH"]),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--mute-audio"],
  });
  return {
    complaints,
    outside: () =>
      requested.filter((url) => !/^(data|blob|about):/.test(url) && !url.startsWith(`${baseUrl}/`)),
    newPage: async (options) => {
      const context = await browser.newContext({
        baseURL: baseUrl,
        reducedMotion: "reduce",
        viewport: { width: 1280, height: 800 },
        ...options,
      });
      context.setDefaultTimeout(TIMEOUT_MS);
      const page = await context.newPage();
      page.on("request", (request) => requested.push(request.url()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        // A refusal that a test provokes is told there too; what matters of it is what the page makes of it.
        const isRefusal = message.text().startsWith("Failed to load resource");
        if (message.type() === "error" && !isRefusal) complaints.push(message.text());
      });
      return page;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function findChromium(named: string | undefined): string {
  const path = named ?? DEBIAN_CHROMIUM;
  if (existsSync(path)) return path;
  throw new Error(
    `These tests need Chromium, and there is none at ${path}. Install it (apt-get install chromium), or set CHROMIUM_PATH to the program.`,
  );
}
