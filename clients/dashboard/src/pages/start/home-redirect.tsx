/**
 * The page at `/`: redirects to the account and mode used last, or to sign-in; with `?model=` to the playground. At
 * `/go/settings/keys` to that page of the account: links from outside need not know which it is.
 */
import { Navigate, useLocation, useParams } from "react-router";
import { PageLoading, QueryResult } from "../../components/states.tsx";
import { lazyPage } from "../../faults/lazy-page.tsx";
import { startingScope } from "../../session/last-scope.ts";
import { useSession } from "../../session/session.ts";
import { signInPath } from "../../session/sign-in-path.ts";

const { Page: NoAccount } = lazyPage(() => import("./no-account.tsx"));

export function HomeRedirect() {
  const session = useSession();
  const { pathname, search } = useLocation();
  const { "*": wanted } = useParams();
  if (!session.data) return <QueryResult query={session} loading={<PageLoading />} />;
  if (!session.data.user)
    return <Navigate to={signInPath(session.data, pathname + search, false)} replace />;
  const scope = startingScope(session.data.accounts);
  if (!scope) return <NoAccount />;
  const isOfModel = new URLSearchParams(search).has("model");
  const page = wanted ?? (isOfModel ? `playground${search}` : "overview");
  return <Navigate to={`/${scope.accountId}/${scope.mode}/${page}`} replace />;
}
