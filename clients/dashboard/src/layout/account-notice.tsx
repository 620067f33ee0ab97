/** The notice that an account is suspended or has no production access, and what to do about it. */
import { Alert, Stack } from "@mantine/core";
import { Ban, FlaskConical } from "lucide-react";
import { AskOperators } from "../components/ask-operators.tsx";
import { useScope } from "../data/scope.ts";

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
        <Stack gap="xs">
          <span>
            This account works in test mode, with the same rules and prices. With production access
            you can create live keys.
          </span>
          <AskOperators kind="production" />
        </Stack>
      </Alert>
    );
  }
  return null;
}
