/** The dashboard's routes. The code of a page is loaded when it is first opened. */
import { matchRoutes, Navigate, type RouteObject } from "react-router";
import { lazyPage, type PageModule } from "./faults/lazy-page.tsx";
import { AccountLayout } from "./layout/account-layout.tsx";
import { ProfileLayout } from "./layout/profile-layout.tsx";
import NotFound from "./layout/not-found.tsx";
import { HomeRedirect } from "./pages/start/home-redirect.tsx";

export const BASENAME = "/dashboard";

const overview = page("overview", () => import("./pages/overview/overview.tsx"));

export const ROUTES: RouteObject[] = [
  // Most users are led from here to the overview.
  { index: true, Component: HomeRedirect, handle: overview.handle },
  { path: "go/*", Component: HomeRedirect },
  page("sign-in", () => import("./pages/sign-in/sign-in.tsx")),
  page("sign-up", () => import("./pages/sign-in/sign-up.tsx")),
  page("forgotten-password", () => import("./pages/sign-in/forgotten-password.tsx")),
  page("reset-password", () => import("./pages/sign-in/reset-password.tsx")),
  page("confirm-email", () => import("./pages/sign-in/confirm-email.tsx")),
  {
    Component: ProfileLayout,
    // The identity provider leads back to the second.
    children: ["profile", "account"].map((path) =>
      page(path, () => import("./pages/profile/profile.tsx")),
    ),
  },
  page("invitations", () => import("./pages/sign-in/invitation.tsx")),
  {
    path: ":accountId/:mode",
    Component: AccountLayout,
    children: [
      { index: true, element: <Navigate to="overview" replace /> },
      overview,
      page("playground", () => import("./pages/playground/playground.tsx")),
      page("generations", () => import("./pages/generations/generations.tsx")),
      page("generations/:id", () => import("./pages/generations/generation.tsx")),
      page("files/:id", () => import("./pages/generations/file.tsx")),
      page("requests", () => import("./pages/requests/requests.tsx")),
      page("billing", () => import("./pages/billing/billing.tsx")),
      page("settings/keys", () => import("./pages/keys/api-keys.tsx")),
      page("settings/webhooks", () => import("./pages/webhooks/webhooks.tsx")),
      page("settings/webhooks/:id", () => import("./pages/webhooks/delivery.tsx")),
      page("settings/members", () => import("./pages/members/members.tsx")),
      page("settings/audit-log", () => import("./pages/audit-log/audit-log.tsx")),
      page("settings/account", () => import("./pages/account/account.tsx")),
      { path: "*", Component: NotFound },
    ],
  },
  { path: "*", Component: NotFound },
];

/** Its handle begins to load it. */
function page(path: string, load: () => Promise<PageModule>): RouteObject {
  const { Page, begin } = lazyPage(load);
  return { path, Component: Page, handle: begin };
}

/** Begins to load the code of the page at this path of the document; resolves when that has ended, also if it failed. */
export async function beginPage(pathname: string): Promise<void> {
  const route = matchRoutes(ROUTES, pathname, BASENAME)?.at(-1)?.route;
  const begin = route?.handle as (() => Promise<unknown>) | undefined;
  await Promise.allSettled([begin?.()]);
}
