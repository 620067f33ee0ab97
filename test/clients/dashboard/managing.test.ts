/** The dashboard of a user who looks after an account that generates: webhooks, members, the search, every page, the focus, the documentation. */
import { describe } from "vitest";
import { clientOf } from "../../support/customer.ts";
import { keepsToItself, sharedContext } from "./context.ts";
import { documentation } from "./suites/documentation.ts";
import { everyPage } from "./suites/every-page.ts";
import { focus } from "./suites/focus.ts";
import { members } from "./suites/members.ts";
import { search } from "./suites/search.ts";
import { webhooks } from "./suites/webhooks.ts";
import { ADA, completeSignUp, createKey, openMailedSignUp } from "./user-actions.ts";

describe("the dashboard", () => {
  const context = sharedContext(async ({ service, page, smtp }) => {
    await openMailedSignUp(page, smtp, ADA);
    await completeSignUp(page, ADA);
    const key = await createKey(page, "Laptop");
    await page.getByRole("button", { name: "I have saved it" }).click();
    await clientOf(service.url, key).images.create({
      model: "gamma-image-3.0-pro",
      prompt: "A lighthouse",
    });
  });

  // The order matters: the later suites need the deliveries of the first.
  webhooks(context);
  members(context);
  search(context);
  everyPage(context);
  focus(context);
  documentation(context);
  keepsToItself(context);
});
