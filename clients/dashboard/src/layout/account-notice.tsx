/** What the account cannot do at present, and what to do about it. */
import { Alert } from "@mantine/core";
import { Ban, FlaskConical } from "lucide-react";
import { usePlace } from "../session/scope.ts";

export function AccountNotice() {
  const { account, mode } = usePlace();
  if (account.suspended) {
    return (
      <Alert color="red" mb="lg" icon={<Ban aria-hidden />} title="This account is suspended">
        Nothing new can be made; everything there is can still be read. Ask operations to restore
        the account.
      </Alert>
    );
  }
  if (mode === "live" && !account.production_granted) {
    return (
      <Alert
        color="amber"
        mb="lg"
        icon={<FlaskConical aria-hidden />}
        title="Production access has not been granted yet"
      >
        This account works in test mode, at the same rules and prices. Ask operations to grant
        production access; then live keys can be made here.
      </Alert>
    );
  }
  return null;
}
