/** Walks through the dashboard as a user who presses everything: each control of each page, dialog, menu and list once. */
import { fileURLToPath } from "node:url";
import type { Page, Request } from "playwright-core";
import { systemClock } from "#runtime/clock.ts";
import { PICTURE, waitUntil } from "./user-actions.ts";

const SCRIPT = fileURLToPath(new URL("press-script.js", import.meta.url));
/** These stay open, or are none of the page's state. */
const BACKGROUND = /\/events\?|^(data|blob):/;
const AWAITED = /^(document|script|stylesheet|fetch|xhr)$/;
/** An answer that takes longer, such as a picture, comes while something else is pressed. */
const PATIENCE_MS = 1_000;
/** A press that ends the document is over when the next one is there. */
const OTHER_DOCUMENT = /context was destroyed|interrupted by another navigation/;

/** What was pressed, as `page dialog: control`; the same where the page failed then, and with what. */
export type Walk = { pressed: string[]; faults: string[] };

/**
 * Begins at the page as it is now; pages of other accounts are not walked through. `errors` is what the browser has logged.
 * `signIn` is called where a control has ended the session.
 */
export async function pressEverything(
  page: Page,
  errors: readonly string[],
  signIn: () => Promise<void>,
  password: string,
): Promise<Walk> {
  const settled = await prepare(page, password);
  const [, dashboard = "", account = ""] = new URL(page.url()).pathname.split("/");
  const paths = [new URL(page.url()).pathname];
  const seen = new Set<string>();
  const walk: Walk = { pressed: [], faults: [] };

  const ask = async <T>(script: string): Promise<T> => {
    try {
      return await page.evaluate<T>(script);
    } catch (error) {
      if (!OTHER_DOCUMENT.test(String(error))) throw error;
      await settled();
      return ask<T>(script);
    }
  };
  const press = async (control: string): Promise<boolean> => {
    const isThere = await page
      .evaluate<boolean>(`pressing.press(${JSON.stringify(control)})`)
      .catch((error: unknown) => OTHER_DOCUMENT.test(String(error)));
    await settled();
    return isThere;
  };
  const load = async (path: string): Promise<void> => {
    await page.goto(path).catch((error: unknown) => {
      if (!OTHER_DOCUMENT.test(String(error))) throw error;
    });
    await settled();
    if (!new URL(page.url()).pathname.endsWith("/sign-in")) return;
    await signIn();
    await load(path);
  };
  /** Where the page is, and what lies on top of it. Of an id only the kind counts: all videos have one page. */
  const here = async () => {
    const where = await ask<string>("pressing.where()");
    return where.replace(`/${dashboard}/${account}/`, "").replaceAll(/_\w{20,}/g, "_#");
  };

  /** Presses what a place has: a page as it is loaded, after some presses. */
  async function walkPlace(path: string, presses: readonly string[]): Promise<void> {
    const reach = async () => {
      await load(path);
      for (const control of presses) if (!(await press(control))) return false;
      return true;
    };
    if (!(await reach())) return;
    const place = await here();
    const isBack = async () => (await reach()) && (await here()) === place;
    for (let isFresh = true; ; isFresh = false) {
      const controls = await ask<string[]>("pressing.controls()");
      const idOf = (one: string) => (one.startsWith("frame ") ? one : `${place}: ${one}`);
      const control = controls.find((one) => !seen.has(idOf(one)));
      if (control === undefined) {
        if (isFresh || !(await isBack())) return;
        if ((await ask<string[]>("pressing.controls()")).every((one) => seen.has(idOf(one))))
          return;
        continue;
      }
      seen.add(idOf(control));
      // What a link leads to has to work without what other pages have loaded.
      if (control.startsWith("a ") && !(await isBack())) return;
      const before = errors.length;
      if (await press(control)) walk.pressed.push(`${place}: ${control}`);
      const found = errors.slice(before);
      if (await ask<boolean>("pressing.hasFailed()")) found.push("the page has failed");
      walk.faults.push(...found.map((error) => `${place}: ${control}: ${error}`));
      const { pathname } = new URL(page.url());
      const after = await here();
      if (pathname !== path) {
        if (pathname.startsWith(`/${dashboard}/${account}/`)) paths.push(pathname);
      } else if (after.includes(" ") && after !== place) {
        await walkPlace(path, [...presses, control]);
      }
      if ((after !== place || found.length > 0) && !(await isBack())) return;
    }
  }

  const walked = new Set<string>();
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const name = path.replaceAll(/_\w{20,}/g, "_#");
    if (walked.has(name)) continue;
    walked.add(name);
    await walkPlace(path, []);
  }
  return walk;
}

/** Resolves with what waits until the page has its answers and stands still. */
async function prepare(page: Page, password: string): Promise<() => Promise<void>> {
  const pending = new Set<Request>();
  let ended = Promise.withResolvers<void>();
  page.on("request", (request) => {
    if (AWAITED.test(request.resourceType()) && !BACKGROUND.test(request.url()))
      pending.add(request);
  });
  for (const event of ["requestfinished", "requestfailed"] as const) {
    page.on(event as "requestfinished", (request) => {
      pending.delete(request);
      ended.resolve();
      ended = Promise.withResolvers();
    });
  }
  page.on("dialog", (dialog) => void dialog.accept());
  page.on("popup", (popup) => void popup.close());
  page.on("filechooser", (chooser) => chooser.setFiles(PICTURE));
  await page.addInitScript(`globalThis.passwordOfUser = ${JSON.stringify(password)}`);
  await page.addInitScript({ path: SCRIPT });
  await page.reload();
  async function settle(): Promise<void> {
    await page.waitForLoadState();
    await page.evaluate(
      "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))",
    );
    const late = systemClock.sleep(PATIENCE_MS).then(() => pending.clear());
    while (pending.size > 0) await Promise.race([ended.promise, late]);
    await waitUntil(page, "pressing.isStill()");
  }
  const settled = (): Promise<void> =>
    settle().catch((error: unknown) => {
      if (!OTHER_DOCUMENT.test(String(error))) throw error;
      return settled();
    });
  return settled;
}
