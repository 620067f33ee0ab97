/** Settings, Members: joining by an invitation link, what a member's role leaves out, and the end of a membership. */
import { linkIn, secretsIn } from "../../../support/smtp-server.ts";
import { shared } from "../context.ts";
import {
  ADA,
  appears,
  completeSignUp,
  goTo,
  openWithoutLoading,
  scopeOf,
  signIn,
  signInBefore,
} from "../user-actions.ts";

describe("members", () => {
  const invite = async (email: string, role: string) => {
    const { page, smtp } = shared;
    await goTo(page, "Members");
    await page.getByLabel("E-mail").fill(email);
    const chosen = page.getByLabel("Role", { exact: true });
    await chosen.selectOption(role);
    await page.getByRole("button", { name: "Invite" }).click();
    const mail = await smtp.next(email);
    // Empty again, it shows the role that the next invitation has.
    await expect.poll(() => page.getByLabel("E-mail").inputValue()).toBe("");
    expect(await chosen.inputValue()).toBe("developer");
    return mail;
  };

  it("join by the invitation link, see what their role allows, and are told at their next step when they are removed", async () => {
    const { page, visitor: other } = shared;
    await other.context().clearCookies();
    await other.goto(linkIn(await invite("grace@example.com", "viewer")).href);
    await completeSignUp(other, { name: "Grace Hopper", password: "nanosecond wire" });
    expect(scopeOf(other).accountId).toBe(shared.accountId);
    await goTo(other, "Members");
    await other.getByRole("row", { name: "Grace Hopper" }).waitFor();
    expect(await other.getByRole("heading", { name: "Invite someone" }).count()).toBe(0);
    await openWithoutLoading(other, shared.at("playground"));
    await other.getByRole("heading", { name: "Playground is not for your role" }).waitFor();
    await page.reload();
    const role = page.getByRole("combobox", { name: "Role of Grace Hopper" });
    await role.selectOption("owner");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Your password" }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await role.inputValue()).toBe("viewer");
    await page.getByRole("button", { name: "Remove Grace Hopper" }).click();
    await dialog.getByRole("button", { name: "Remove" }).click();
    // Not by the menu, which is gone where the page has been told meanwhile.
    await openWithoutLoading(other, shared.at("generations"));
    await appears(other.getByRole("heading", { name: /You are no longer a member of/ }));
  });

  it("are no longer invited once the invitation is withdrawn, which is asked before", async () => {
    const { page } = shared;
    await invite("ida@example.com", "viewer");
    const row = page.getByRole("row", { name: "ida@example.com" });
    const dialog = page.getByRole("dialog", {
      name: "Withdraw the invitation of ida@example.com?",
    });
    await row.getByRole("button", { name: "Withdraw" }).click();
    const confirm = dialog.getByRole("button", { name: "Withdraw" });
    await confirm.waitFor();
    expect(await row.count()).toBe(1);
    await confirm.click();
    await row.waitFor({ state: "detached" });
  });

  it("who have a login already sign in and join, and the link's secret is in no path or query", async () => {
    const { visitor: other } = shared;
    const joan = await shared.newUser("Joan");
    const mail = await invite(joan.email, "developer");
    const { token = "" } = secretsIn(mail);
    expect(token).toMatch(/^\S{20,}$/);
    const requested: string[] = [];
    other.on("request", (request) => requested.push(request.url().replace(/#.*/, "")));
    await signInBefore(other, shared.service.url, ADA);
    // The invitation is for somebody else: who is signed in can leave and come back to it.
    await other.goto(linkIn(mail).href);
    await other.getByText(`You are signed in as ${ADA.email}.`).waitFor();
    await other.getByRole("button", { name: "Sign out and come back here" }).click();
    await other.getByRole("link", { name: "Sign in and join" }).click();
    await signIn(other, joan);
    await other.getByRole("button", { name: `Join as ${joan.email}` }).click();
    await appears(other.getByRole("heading", { name: "Overview" }));
    expect(scopeOf(other).accountId).toBe(shared.accountId);
    expect(requested.filter((url) => url.includes(token))).toEqual([]);
  });
});
