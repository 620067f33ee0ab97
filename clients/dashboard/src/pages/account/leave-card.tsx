/** The button to leave the account. */
import { Button, Card } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { UserMinus } from "lucide-react";
import { LeaveAccount } from "./leave-account.tsx";

export function LeaveCard() {
  const [isConfirming, confirming] = useDisclosure(false);
  return (
    <Card component="section" aria-label="Leave">
      <Button
        variant="default"
        w="fit-content"
        c="var(--mantine-color-error)"
        leftSection={<UserMinus size={15} aria-hidden />}
        onClick={confirming.open}
      >
        Leave this account
      </Button>
      {isConfirming && <LeaveAccount onClose={confirming.close} />}
    </Card>
  );
}
