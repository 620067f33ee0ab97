/** Settings, Account: the account's name and access, the user's password, signing out and leaving. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../session/scope.ts";
import { AccountCard } from "./account-card.tsx";
import { LeaveCard } from "./leave-card.tsx";
import { NewAccount } from "./new-account.tsx";
import { PasswordCard } from "./password-card.tsx";

export default function Account() {
  const { user } = useScope();
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
