/** Settings, Account: the account's name and access, how the user signs in, signing out and leaving. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { AccountCard } from "./account-card.tsx";
import { EmailCard } from "./email-card.tsx";
import { LeaveCard } from "./leave-card.tsx";
import { NewAccount } from "./new-account.tsx";
import { OidcCard } from "./oidc-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SecondFactorCard } from "./second-factor-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

export default function Account() {
  const { user } = useScope();
  return (
    <>
      <PageHead title="Account">Signed in as {user.email}.</PageHead>
      <Stack gap="lg">
        <AccountCard />
        <EmailCard />
        {user.has_password && <PasswordCard />}
        <SecondFactorCard />
        <PasskeysCard />
        <OidcCard />
        <SessionsCard />
        <NewAccount />
        <LeaveCard />
      </Stack>
    </>
  );
}
