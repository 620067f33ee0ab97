/** Walks through the dashboard as a user who presses everything: each control of each page, dialog, menu and list once. */
import { fileURLToPath } from "node:url";
import type { Page, Request } from "playwright-core";
import { systemClock } from "#runtime/clock.ts";
import { openWithoutLoading, PICTURE, waitUntil } from "./user-actions.ts";

const SCRIPT = fileURLToPath(new URL("press-script.js", import.meta.url));
/** These stay open, or are none of the page's state. */
const BACKGROUND = /\/events\?|^(data|blob):/;
const AWAITED = /^(document|script|stylesheet|fetch|xhr)$/;

/** An answer that takes longer, such as a picture, comes while something else is pressed. */
const PATIENCE_MS = 1_000;

/** A page, or what lies on top of it, and the controls that were pressed to get there. */
type Place = { path: string; presses: readonly string[]; name: string };

export type Walk = {
  /** What was pressed, as `page dialog: control`. */
  pressed: string[];
  /** The same, where the page failed then, and with what. */
  faults: string[];
};

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
  /** Of an id only the kind counts: all videos have one page. */
  const pageName = (path: string) =>
    path
      .split("/")
      .slice(4)
      .join("/")
      .replace(/_\w{20,}/, "_#");
  const walked = new Set<string>();
  const seen = new Set<string>();
  const walk: Walk = { pressed: [], faults: [] };

  const isOfAccount = (path: string) => path.startsWith(`/${dashboard}/${account}/`);
  /** The script's answer; `gone` or the answer of the next document where a navigation comes in between. */
  const ask = async <T>(script: string, gone?: T): Promise<T> => {
    try {
      return await page.evaluate<T>(script);
    } catch (error) {
      if (!isOtherDocument(error)) throw error;
      await settled();
      return gone ?? ask<T>(script);
    }
  };
  const here = () => ask<string>("pressing.where()");
  /** The name of where the page is: without the ids in its path. */
  const nameHere = async () => {
    const where = await here();
    const [path = ""] = where.split(" ");
    return isOfAccount(path) ? pageName(path) + where.slice(path.length) : where;
  };

  async function press(control: string): Promise<boolean> {
    const isThere = await ask(`pressing.press(${JSON.stringify(control)})`, true);
    await settled();
    return isThere;
  }

  /** Loads a page, also where a control that was pressed before still leads elsewhere. */
  async function load(path: string): Promise<void> {
    try {
      await page.goto(path);
    } catch (error) {
      if (!isOtherNavigation(error)) throw error;
      await settled();
      return load(path);
    }
    await settled();
  }

  async function openPage(path: string, isLoaded: boolean): Promise<void> {
    if (isLoaded || !isOfAccount(new URL(page.url()).pathname)) {
      await load(path);
    } else {
      try {
        await openWithoutLoading(page, path);
        await settled();
      } catch (error) {
        if (!isOtherDocument(error)) throw error;
        await load(path);
      }
    }
    if (new URL(page.url()).pathname.endsWith("/sign-in")) {
      await signIn();
      await load(path);
    }
  }

  /** Goes to a place as it is at first; `isLoaded`: in a new document, which has nothing of other pages yet. */
  async function reach({ path, presses, name }: Place, isLoaded = false): Promise<boolean> {
    await openPage(path, isLoaded);
    for (let tries = 0; tries < 2 && (await nameHere()) !== pageName(path); tries++) {
      await page.keyboard.press("Escape");
      await settled();
    }
    if ((await nameHere()) !== pageName(path)) await load(path);
    for (const control of presses) if (!(await press(control))) return false;
    return (await nameHere()) === name;
  }

  async function walkPlace(place: Place): Promise<void> {
    let isFresh = true;
    for (;;) {
      if ((await nameHere()) !== place.name) {
        if (!(await reach(place))) return;
        isFresh = true;
      }
      const controls = await ask<string[]>("pressing.controls()");
      const idOf = (one: string) => (one.startsWith("frame ") ? one : `${place.name}: ${one}`);
      const control = controls.find((one) => !seen.has(idOf(one)));
      if (control === undefined) {
        if (isFresh || !(await reach(place))) return;
        isFresh = true;
        continue;
      }
      // What a link leads to has to work without what other pages have loaded.
      if (control.startsWith("a ") && !(await reach(place, true))) return;
      isFresh = false;
      const named = `${place.name}: ${control}`;
      seen.add(idOf(control));
      if (await press(control)) walk.pressed.push(named);
      await lookAround(place, control, named);
    }
  }

  /** After a press: notes what failed, and where it led. */
  async function lookAround(place: Place, control: string, named: string): Promise<void> {
    if (await ask<boolean>("pressing.hasFailed()")) {
      walk.faults.push(`${named}: the page has failed`);
      await load(place.path);
    }
    walk.faults.push(...errors.slice(known).map((error) => `${named}: ${error}`));
    known = errors.length;
    const { pathname } = new URL(page.url());
    if (pathname !== place.path) {
      if (isOfAccount(pathname)) paths.push(pathname);
      return;
    }
    const name = await nameHere();
    if (name === place.name || name === pageName(place.path)) return;
    await walkPlace({ path: place.path, presses: [...place.presses, control], name });
  }

  let known = errors.length;
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const name = pageName(path);
    if (walked.has(name)) continue;
    walked.add(name);
    const place = { path, presses: [], name };
    if (await reach(place, true)) await walkPlace(place);
  }
  return walk;
}

/** Whether a script was cut off because another document has taken the place of the one that it ran in. */
function isOtherDocument(error: unknown): boolean {
  return (error as Error).message.includes("context was destroyed");
}

function isOtherNavigation(error: unknown): boolean {
  return (error as Error).message.includes("interrupted by another navigation");
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
  const nextFrames = "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))";
  async function settle(): Promise<void> {
    await page.waitForLoadState();
    await page.evaluate(nextFrames);
    const late = systemClock.sleep(PATIENCE_MS).then(() => pending.clear());
    while (pending.size > 0) await Promise.race([ended.promise, late]);
    await waitUntil(page, "pressing.isStill()");
  }
  const settled = (): Promise<void> =>
    settle().catch((error: unknown) => {
      if (!isOtherDocument(error)) throw error;
      return settled();
    });
  return settled;
}
