/** Settings, Account: the account's name and access, the person's password, and the ways out. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { usePlace } from "../../session/scope.ts";
import { AccountCard } from "./account-card.tsx";
import { LeaveCard } from "./leave-card.tsx";
import { NewAccount } from "./new-account.tsx";
import { PasswordCard } from "./password-card.tsx";

export default function Account() {
  const { user } = usePlace();
  return (
    <>
      <PageHead title="Account">Signed in as {user.email}.</PageHead>
      <Stack gap="lg">
        <AccountCard />
        {user.has_password && <PasswordCard />}
        <NewAccount />
        <LeaveCard />
      </Stack>
    </>
  );
}
