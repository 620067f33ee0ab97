/** The page at `/account`, to which the identity provider leads back: the account settings of the scope used last. */
import { Navigate, useLocation } from "react-router";
import { PageLoading } from "../../components/loading.tsx";
import { startingScope } from "../../session/last-scope.ts";
import { useSession } from "../../session/session.ts";

export function AccountRedirect() {
  const session = useSession();
  const { search } = useLocation();
  if (session.isPending) return <PageLoading />;
  const scope = startingScope(session.data?.accounts ?? []);
  if (!scope) return <Navigate to="/" replace />;
  return <Navigate to={`/${scope.accountId}/${scope.mode}/settings/account${search}`} replace />;
}
