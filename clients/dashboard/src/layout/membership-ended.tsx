/** Shown to users whose membership of an account ended while they had it open. */
import { Button, Center } from "@mantine/core";
import { UserX } from "lucide-react";
import { Link } from "react-router";
import { Empty } from "../components/empty.tsx";

export function MembershipEnded({ accountName }: { accountName: string }) {
  return (
    <Center mih={360} component="section">
      <title>No longer a member · Media dashboard</title>
      <Empty
        icon={UserX}
        title={`You are no longer a member of ${accountName}`}
        order={1}
        action={
          <Button component={Link} to="/" variant="light" mt="xs">
            Go to your accounts
          </Button>
        }
      >
        You left it, or an owner removed you. What you made there stays with the account; an owner
        can invite you again.
      </Empty>
    </Center>
  );
}
