/** Shown to users without an account: creates one if that is allowed, else tells them to ask for an invitation. */
import { Text } from "@mantine/core";
import { ActionForm } from "../../components/action-form.tsx";
import { field, NameInput } from "../../components/form/form.tsx";
import { TextLink } from "../../components/texts.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useSession, useSignOut } from "../../session/session.ts";

export default function NoAccount() {
  const { data: session } = useSession();
  const signOut = useSignOut();
  const mayCreate = session?.can_create_account ?? false;
  return (
    <EntryCard
      title={mayCreate ? "Create an account" : "No account yet"}
      foot={<TextLink to="/profile">Your profile</TextLink>}
    >
      {mayCreate ? (
        <ActionForm
          isEntry
          action="Create account"
          run={(call, form) => call("createAccount", { body: { name: field(form, "name") } })}
        >
          <NameInput label="Account name" />
        </ActionForm>
      ) : (
        <Text size="sm">
          You are signed in as {session?.user?.email}, but belong to no account. Ask an account's
          owner for an invitation.
        </Text>
      )}
      <ActionForm isEntry isSecond action="Sign out" run={() => signOut.mutateAsync()} />
    </EntryCard>
  );
}
