/** What only a browser shows of the dashboard and the documentation, in one Chromium against one whole service. */
import { shared } from "./context.ts";
// In this order. Each suite leaves nothing that another needs.
import "./suites/signing-in.ts";
import "./suites/playground.ts";
import "./suites/generations.ts";
import "./suites/keys.ts";
import "./suites/webhooks.ts";
import "./suites/members.ts";
import "./suites/every-page.ts";
import "./suites/keyboard.ts";
import "./suites/documentation.ts";

it("the dashboard has requested nothing from other hosts and logged no error in all of this", () => {
  const { provider, chromium } = shared;
  const { origin } = new URL(provider.discoveryUrl);
  const hosts = chromium.externalRequests().map((url) => new URL(url).origin);
  expect(hosts.filter((host) => host !== origin)).toEqual([]);
  expect(chromium.errors).toEqual([]);
});
