/** Settings, Members: the account's members, and its invitations for owners. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../session/scope.ts";
import { Invitations } from "./invitations.tsx";
import { MemberCard } from "./member-card.tsx";

export default function Members() {
  const { may } = useScope();
  return (
    <>
      <PageHead title="Members">
        Viewers read everything but signing secrets. Billing reads balances, usage and transactions.
        Developers also generate and manage API keys and webhooks. Owners do everything.
      </PageHead>
      <Stack gap="lg">
        <MemberCard />
        {may("listInvitations") && <Invitations />}
      </Stack>
    </>
  );
}
