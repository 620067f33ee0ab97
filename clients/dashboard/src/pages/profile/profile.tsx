/** Your profile: who the user is, how they sign in, and where they are signed in, whatever the account. */
import { Stack } from "@mantine/core";
import { LogOut } from "lucide-react";
import { BusyButton } from "../../components/form/busy-button.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { useUser } from "../../data/user.ts";
import { useSignOut } from "../../session/session.ts";
import { EmailCard } from "./email-card.tsx";
import { NameCard } from "./name-card.tsx";
import { OidcCard } from "./oidc-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SecondFactorCard } from "./second-factor-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

export default function Profile() {
  const user = useUser();
  const signOut = useSignOut();
  return (
    <>
      <PageHead
        title="Your profile"
        actions={
          <BusyButton
            variant="default"
            leftSection={<LogOut size={15} aria-hidden />}
            isBusy={signOut.isPending}
            onClick={() => signOut.mutate()}
          >
            Sign out
          </BusyButton>
        }
      >
        Who you are and how you sign in, to all accounts that you belong to.
      </PageHead>
      <Stack gap="lg">
        <NameCard />
        <EmailCard />
        {user.has_password && <PasswordCard />}
        <SecondFactorCard />
        <PasskeysCard />
        <OidcCard />
        <SessionsCard />
      </Stack>
    </>
  );
}
