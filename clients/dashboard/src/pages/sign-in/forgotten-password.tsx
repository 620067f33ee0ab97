/** The page that has a link sent to set a new password. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import { api, unwrap } from "../../api/client.ts";
import { MailForm } from "../../components/mail-form.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useSession } from "../../session/session.ts";

export default function ForgottenPassword() {
  const sendsMail = useSession().data?.verifies_email;
  return (
    <EntryCard title="Set a new password">
      <MailForm
        button="Send a link"
        done={
          sendsMail
            ? "If this address has a login, a mail with a link is on its way. The link works for an hour."
            : "This service has no mail server. Ask whoever runs it for the link."
        }
        send={(email) => unwrap(api.POST("/auth/password/forgotten", { body: { email } }))}
      />
      <Text size="sm" ta="center" c="dimmed">
        <Anchor component={Link} to="/sign-in" underline="always">
          Back to sign-in
        </Anchor>
      </Text>
    </EntryCard>
  );
}
