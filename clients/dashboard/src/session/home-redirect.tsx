/** The bare address: on to the last place, or to signing in. */
import { Navigate } from "react-router";
import { Failure } from "../components/failure.tsx";
import { PageLoading } from "../components/loading.tsx";
import { startingPlace } from "./last-scope.ts";
import { NoAccount } from "./no-account.tsx";
import { useSession } from "./session.ts";

export function HomeRedirect() {
  const session = useSession();
  if (session.error) {
    return <Failure error={session.error} retry={() => void session.refetch()} />;
  }
  if (!session.data) return <PageLoading />;
  if (!session.data.user) return <Navigate to="/sign-in" replace />;
  const place = startingPlace(session.data.accounts);
  if (!place) return <NoAccount session={session.data} />;
  return <Navigate to={`/${place.accountId}/${place.mode}/overview`} replace />;
}
