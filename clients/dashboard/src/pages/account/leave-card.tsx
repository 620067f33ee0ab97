/** Buttons to sign out and to leave the account. */
import { Button, Card, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { LogOut, UserMinus } from "lucide-react";
import { useSignOut } from "../../session/session.ts";
import { LeaveAccount } from "./leave-account.tsx";

export function LeaveCard() {
  const signOut = useSignOut();
  const [isConfirming, confirming] = useDisclosure(false);
  return (
    <Card component="section" aria-label="Leave">
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<LogOut size={15} aria-hidden />}
          loading={signOut.isPending}
          onClick={() => signOut.mutate()}
        >
          Sign out
        </Button>
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          leftSection={<UserMinus size={15} aria-hidden />}
          onClick={confirming.open}
        >
          Leave this account
        </Button>
      </Group>
      {isConfirming && <LeaveAccount onClose={confirming.close} />}
    </Card>
  );
}
