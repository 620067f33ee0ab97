/** The page of a mailed link that sets a new password. */
import { ActionForm } from "../../components/action-form.tsx";
import { field, NewPassword } from "../../components/form/form.tsx";
import { TextLink } from "../../components/texts.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";

export default function ResetPassword() {
  const token = useLinkFragment().get("token") ?? "";
  return (
    <EntryCard
      title="Set a new password"
      foot={
        <>
          <TextLink to="/sign-in">Sign in</TextLink>, or{" "}
          <TextLink to="/forgotten-password">have a new link sent</TextLink>
        </>
      }
    >
      <ActionForm
        isEntry
        action="Set password"
        instead="Your password is set. Every session has ended."
        run={(call, form) =>
          call("resetPassword", { body: { token, new_password: field(form, "new_password") } })
        }
      >
        <NewPassword name="new_password" label="New password" />
      </ActionForm>
    </EntryCard>
  );
}
