/** The notice that an account is suspended or has no production access, and what to do about it. */
import { Alert } from "@mantine/core";
import { Ban, FlaskConical } from "lucide-react";
import { useScope } from "../session/scope.ts";

export function AccountNotice() {
  const { account, mode } = useScope();
  if (account.suspended) {
    return (
      <Alert color="red" mb="lg" icon={<Ban aria-hidden />} title="This account is suspended">
        It cannot generate anything new; everything it has can still be read. Ask operations to
        restore the account.
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
        This account works in test mode, with the same rules and prices. Ask operations to grant
        production access; then you can create live keys.
      </Alert>
    );
  }
  return null;
}
