/** What the suites of the dashboard share: one service, one browser, one person's page. */
import type { Page } from "playwright-core";
import type { WholeService } from "../../support/whole-service.ts";
import type { Chromium } from "./chromium.ts";

export type Shared = {
  service: WholeService;
  chromium: Chromium;
  /** Signed in as ADA from the first suite on. */
  page: Page;
};

/** Read inside tests only: it is filled before the first one. */
export type Context = () => Shared;
