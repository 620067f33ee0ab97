/** The page for a URL that matches no page, or an account the user does not belong to. */
import { Compass } from "lucide-react";
import { Empty, EmptyAction } from "../components/states.tsx";

export default function NotFound() {
  return (
    <Empty
      icon={Compass}
      title="Page not found"
      isPage
      action={<EmptyAction to="/">Go to your account</EmptyAction>}
    >
      The address is wrong, or it belongs to an account that you are not a member of.
    </Empty>
  );
}
