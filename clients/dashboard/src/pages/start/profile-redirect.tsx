/** The page at `/account`, to which the identity provider leads back: the user's profile. */
import { Navigate, useLocation } from "react-router";

export function ProfileRedirect() {
  const { search } = useLocation();
  return <Navigate to={`/profile${search}`} replace />;
}
