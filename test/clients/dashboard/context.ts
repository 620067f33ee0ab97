/** The state shared by the dashboard's suites: one service, one browser and one user's page. */
import type { Page } from "playwright-core";
import type { OidcProvider } from "../../support/oidc-provider.ts";
import type { Smtp } from "../../support/smtp-server.ts";
import type { WholeService } from "../../support/whole-service.ts";
import type { Chromium } from "./chromium.ts";

export type Shared = {
  service: WholeService;
  chromium: Chromium;
  /** Where the service sends its mail. */
  smtp: Smtp;
  provider: OidcProvider;
  /** Signed in as ADA after the first suite. */
  page: Page;
};

/** Call it inside tests only: a `beforeAll` sets the state. */
export type Context = () => Shared;
