/** The page at `/`: redirects to the account and mode used last, or to sign-in. */
import { Navigate } from "react-router";
import { Failure } from "../../components/failure.tsx";
import { lazyPage } from "../../faults/lazy-page.tsx";
import { PageLoading } from "../../components/loading.tsx";
import { startingScope } from "../../session/last-scope.ts";
import { useSession } from "../../session/session.ts";
import { signInPath } from "../../session/sign-in-path.ts";

const { Page: NoAccount } = lazyPage(() => import("./no-account.tsx"));

export function HomeRedirect() {
  const session = useSession();
  if (session.error) {
    return <Failure error={session.error} retry={() => void session.refetch()} />;
  }
  if (!session.data) return <PageLoading />;
  if (!session.data.user) return <Navigate to={signInPath(session.data, "/", undefined)} replace />;
  const scope = startingScope(session.data.accounts);
  if (!scope) return <NoAccount />;
  return <Navigate to={`/${scope.accountId}/${scope.mode}/overview`} replace />;
}
