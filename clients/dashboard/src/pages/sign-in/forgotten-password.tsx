/** The page that has a link sent to set a new password. */
import { ActionForm } from "../../components/action-form.tsx";
import { EmailInput, field } from "../../components/form/form.tsx";
import { TextLink } from "../../components/texts.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useSession } from "../../session/session.ts";

export default function ForgottenPassword() {
  const sendsMail = useSession().data?.verifies_email;
  return (
    <EntryCard title="Set a new password" foot={<TextLink to="/sign-in">Back to sign-in</TextLink>}>
      <ActionForm
        isEntry
        action="Send a link"
        instead={
          sendsMail
            ? "If this address has a login, a mail with a link is on its way. The link works for an hour."
            : "This service has no mail server. Ask whoever runs it for the link."
        }
        run={(call, form) =>
          call("requestPasswordReset", { body: { email: field(form, "email") } })
        }
      >
        <EmailInput autoFocus />
      </ActionForm>
    </EntryCard>
  );
}
