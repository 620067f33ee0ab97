/** Settings, Members: the account's members, and its invitations for owners. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { Invitations } from "./invitations.tsx";
import { MemberCard } from "./member-card.tsx";
import { useMembers } from "./use-members.ts";

export default function Members() {
  const { may } = useScope();
  const members = useMembers();
  return (
    <>
      <PageHead title="Members">
        Viewers read everything but signing secrets. Billing reads balances, usage and transactions.
        Developers also generate and manage API keys and webhooks. Owners do everything.
      </PageHead>
      <Stack gap="lg">
        <MemberCard />
        {/* Below the members, whose number is not known before. */}
        {may("listInvitations") && !members.isPending && <Invitations />}
      </Stack>
    </>
  );
}
