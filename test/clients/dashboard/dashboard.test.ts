/** What only a browser shows of the dashboard and the documentation, in one Chromium against one whole service. */
import { describe, expect, it } from "vitest";
import { sharedContext } from "./context.ts";
import { documentation } from "./suites/documentation.ts";
import { everyPage } from "./suites/every-page.ts";
import { faults } from "./suites/faults.ts";
import { generations } from "./suites/generations.ts";
import { keyboard } from "./suites/keyboard.ts";
import { apiKeys } from "./suites/keys.ts";
import { members } from "./suites/members.ts";
import { playground } from "./suites/playground.ts";
import { signingIn } from "./suites/signing-in.ts";
import { webhooks } from "./suites/webhooks.ts";

describe("the dashboard", () => {
  const context = sharedContext();

  // Each suite has a window of its own and leaves nothing that another needs.
  signingIn(context);
  playground(context);
  generations(context);
  apiKeys(context);
  webhooks(context);
  members(context);
  everyPage(context);
  keyboard(context);
  faults(context);
  documentation(context);

  it("has requested nothing from other hosts and logged no error in all of this", () => {
    const { provider, chromium } = context();
    const { origin } = new URL(provider.discoveryUrl);
    const hosts = chromium.externalRequests().map((url) => new URL(url).origin);
    expect(hosts.filter((host) => host !== origin)).toEqual([]);
    expect(chromium.errors).toEqual([]);
  });
});
