/** The dashboard's providers around its routes. */
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense } from "react";
import { BrowserRouter, useLocation, useRoutes } from "react-router";
import { queryClient } from "./api/query-client.ts";
import { FaultBoundary } from "./faults/fault-boundary.tsx";
import { styleNonce } from "./nonce.ts";
import { PageLoading } from "./components/states.tsx";
import { BASENAME, ROUTES } from "./routes.tsx";
import { cssVariables, theme } from "./theme.ts";

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <BrowserRouter basename={BASENAME}>
          <Page />
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function Page() {
  const { pathname } = useLocation();
  const page = useRoutes(ROUTES);
  return (
    <FaultBoundary page={pathname}>
      <Suspense fallback={<PageLoading />}>{page}</Suspense>
    </FaultBoundary>
  );
}
