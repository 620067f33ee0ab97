/** What a user does at the dashboard: sign up, sign in, navigate. */
import type { Locator, Page } from "playwright-core";
import { systemClock } from "#runtime/clock.ts";

export type User = { name: string; email: string; password: string };

export const ADA: User = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  password: "analytical engine",
};

/** Fills in what the page to sign up asks for besides the e-mail. */
export async function completeSignUp(
  page: Page,
  { name, password }: Omit<User, "email">,
): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign up" }).click();
  await appears(page.getByRole("heading", { name: "Overview" }));
}

export async function signIn(page: Page, { email, password }: User): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs in by the API, for tests that are not about that: the next page that is opened is the user's. */
export async function signInBefore(page: Page, url: string, user: User): Promise<void> {
  const { email, password } = user;
  await page.context().clearCookies();
  const response = await page.request.post(`${url}/dashboard/api/auth/sign-in`, {
    headers: { origin: url },
    data: { email, password },
  });
  if (!response.ok()) throw new Error(await response.text());
}

const LOOK_EVERY_MS = 100;

/** As `waitFor`, which after the first quarter of a second looks only every half second. */
export async function appears(locator: Locator): Promise<void> {
  while (!(await locator.isVisible())) await systemClock.sleep(LOOK_EVERY_MS);
}

/** The account id and mode in the page's URL. */
export function scopeOf(page: Page): { accountId: string; mode: string } {
  const [, , accountId = "", mode = ""] = new URL(page.url()).pathname.split("/");
  return { accountId, mode };
}

/** Navigates by the menu, without reloading the page. */
export async function goTo(page: Page, link: string, heading = link): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: link }).click();
  await appears(page.getByRole("heading", { name: heading, level: 1 }));
}

/** Opens the user's profile by the user menu. */
export async function openProfile(page: Page, { email }: User): Promise<void> {
  await page.getByRole("button", { name: email }).click();
  await page.getByRole("menuitem", { name: "Your profile" }).click();
  await appears(page.getByRole("heading", { name: "Your profile", level: 1 }));
}

/** Opens a page by its path as the back button does, without loading the document again. It is drawn some time later. */
export async function openWithoutLoading(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, "", ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent("popstate"))`,
  );
}

/** As `openWithoutLoading`, for a page of another mode: resolves when the menu leads to that mode. */
export async function changeMode(page: Page, path: string): Promise<void> {
  await openWithoutLoading(page, path);
  const [, , account, mode] = path.split("/");
  const menu = page.getByRole("navigation", { name: "Pages" });
  await appears(menu.locator(`a[href^="/dashboard/${account}/${mode}/"]`).first());
}

/** A file that a user chooses: a PNG of one pixel. */
export const PICTURE = {
  name: "boat.png",
  mimeType: "image/png",
  buffer: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
};

export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 800 };

/** Does something in the window of a phone. */
export async function onPhone(page: Page, work: () => Promise<void>): Promise<void> {
  await page.setViewportSize(PHONE);
  try {
    await work();
  } finally {
    await page.setViewportSize(DESK);
  }
}

/** Resolves in the first animation frame in which `condition`, an expression of the page, is true. */
export async function waitUntil(page: Page, condition: string): Promise<void> {
  await page.evaluate(
    `(async () => { while (!(${condition})) await new Promise(requestAnimationFrame); })()`,
  );
}
