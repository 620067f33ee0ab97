/** Settings, Members: who belongs to the account, and for owners, who is invited. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { usePlace } from "../../session/scope.ts";
import { Invitations } from "./invitations.tsx";
import { MemberCard } from "./member-card.tsx";

export default function Members() {
  const { account } = usePlace();
  return (
    <>
      <PageHead title="Members">
        Members use everything; owners also invite people, change roles and rotate secrets.
      </PageHead>
      <Stack gap="lg">
        <MemberCard />
        {account.role === "owner" && <Invitations />}
      </Stack>
    </>
  );
}
