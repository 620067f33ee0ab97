/** A person at the dashboard: signs up and in, and finds their way. */
import type { Page } from "playwright-core";

export type Person = { name: string; email: string; password: string };

export const ADA: Person = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  password: "analytical engine",
};

export async function signUp(page: Page, person: Person): Promise<void> {
  await page.goto("/dashboard/sign-up");
  await page.getByLabel("Your name").fill(person.name);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByRole("textbox", { name: "Password" }).fill(person.password);
  await page.getByRole("button", { name: "Sign up" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The account's id and mode, as the address has them. */
export function placeOf(page: Page): { accountId: string; mode: string } {
  const [, , accountId = "", mode = ""] = new URL(page.url()).pathname.split("/");
  return { accountId, mode };
}

/** By the menu, as a person goes there: without loading the page again. */
export async function goTo(page: Page, link: string, heading = link): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: link }).click();
  await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
}

/** Opens Settings, API keys, fills the form and answers with the key that is shown once. */
export async function makeKey(page: Page, name: string, mode: "Test" | "Live"): Promise<string> {
  await goTo(page, "API keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("radio", { name: mode }).check();
  await dialog.getByRole("button", { name: "Create key" }).click();
  return dialog.getByTestId("new-key").innerText();
}

/** Resolves in the frame in which `condition`, written as the page's own code, holds. */
export async function until(page: Page, condition: string): Promise<void> {
  await page.evaluate(
    `(async () => { while (!(${condition})) await new Promise(requestAnimationFrame); })()`,
  );
}
