/** Settings, Members: the account's members, and its invitations for owners. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../session/scope.ts";
import { Invitations } from "./invitations.tsx";
import { MemberCard } from "./member-card.tsx";

export default function Members() {
  const { account } = useScope();
  return (
    <>
      <PageHead title="Members">
        Members can use everything. Owners also invite people, change roles and rotate secrets.
      </PageHead>
      <Stack gap="lg">
        <MemberCard />
        {account.role === "owner" && <Invitations />}
      </Stack>
    </>
  );
}
