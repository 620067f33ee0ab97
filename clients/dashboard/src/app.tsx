/** The dashboard's providers and routes. Each page is loaded when it is first opened. */
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense } from "react";
import type { ReactNode } from "react";
import { BrowserRouter, Navigate, Route, Routes, useLocation } from "react-router";
import { queryClient } from "./api/query-client.ts";
import { FaultBoundary } from "./faults/fault-boundary.tsx";
import { lazyPage } from "./faults/lazy-page.tsx";
import { AccountLayout } from "./layout/account-layout.tsx";
import { styleNonce } from "./nonce.ts";
import NotFound from "./pages/not-found.tsx";
import { PageLoading } from "./components/loading.tsx";
import { AccountRedirect } from "./session/account-redirect.tsx";
import { HomeRedirect } from "./session/home-redirect.tsx";
import { cssVariables, theme } from "./theme.ts";

const SignIn = lazyPage(() => import("./pages/sign-in/sign-in.tsx"));
const SignUp = lazyPage(() => import("./pages/sign-in/sign-up.tsx"));
const ForgottenPassword = lazyPage(() => import("./pages/sign-in/forgotten-password.tsx"));
const ResetPassword = lazyPage(() => import("./pages/sign-in/reset-password.tsx"));
const ConfirmEmail = lazyPage(() => import("./pages/sign-in/confirm-email.tsx"));
const Invitation = lazyPage(() => import("./pages/sign-in/invitation.tsx"));
const Overview = lazyPage(() => import("./pages/overview/overview.tsx"));
const Playground = lazyPage(() => import("./pages/playground/playground.tsx"));
const Generations = lazyPage(() => import("./pages/generations/generations.tsx"));
const Generation = lazyPage(() => import("./pages/generations/generation.tsx"));
const Billing = lazyPage(() => import("./pages/billing/billing.tsx"));
const ApiKeys = lazyPage(() => import("./pages/keys/api-keys.tsx"));
const Webhooks = lazyPage(() => import("./pages/webhooks/webhooks.tsx"));
const Delivery = lazyPage(() => import("./pages/webhooks/delivery.tsx"));
const Members = lazyPage(() => import("./pages/members/members.tsx"));
const AuditLog = lazyPage(() => import("./pages/audit-log/audit-log.tsx"));
const Account = lazyPage(() => import("./pages/account/account.tsx"));

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <BrowserRouter basename="/dashboard">
          <PageOrFault>
            <Routes>
              <Route index element={<HomeRedirect />} />
              <Route path="sign-in" element={<SignIn />} />
              <Route path="sign-up" element={<SignUp />} />
              <Route path="forgotten-password" element={<ForgottenPassword />} />
              <Route path="reset-password" element={<ResetPassword />} />
              <Route path="confirm-email" element={<ConfirmEmail />} />
              <Route path="account" element={<AccountRedirect />} />
              <Route path="invitations/:token" element={<Invitation />} />
              <Route path=":accountId/:mode" element={<AccountLayout />}>
                <Route index element={<Navigate to="overview" replace />} />
                <Route path="overview" element={<Overview />} />
                <Route path="playground" element={<Playground />} />
                <Route path="generations" element={<Generations />} />
                <Route path="generations/:id" element={<Generation />} />
                <Route path="billing" element={<Billing />} />
                <Route path="settings/keys" element={<ApiKeys />} />
                <Route path="settings/webhooks" element={<Webhooks />} />
                <Route path="settings/webhooks/:id" element={<Delivery />} />
                <Route path="settings/members" element={<Members />} />
                <Route path="settings/audit-log" element={<AuditLog />} />
                <Route path="settings/account" element={<Account />} />
                <Route path="*" element={<NotFound />} />
              </Route>
              <Route path="*" element={<NotFound />} />
            </Routes>
          </PageOrFault>
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function PageOrFault({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <FaultBoundary page={pathname}>
      <Suspense fallback={<PageLoading />}>{children}</Suspense>
    </FaultBoundary>
  );
}
