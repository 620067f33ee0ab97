/** Shown to users without an account: creates one if that is allowed, else tells them to ask for an invitation. */
import { Button, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { BusyButton, Form, NameInput } from "../../components/form/form.tsx";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { EntryCard } from "../../layout/entry-card.tsx";
import { Failure } from "../../components/states.tsx";
import { useSession, useSignOut } from "../../session/session.ts";

export default function NoAccount() {
  const { data: session } = useSession();
  const client = useQueryClient();
  const signOut = useSignOut();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => unwrap(api.POST("/accounts", { body: { name: name.trim() } })),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  const ownButtons = (
    <>
      <Button component={Link} to="/profile" variant="subtle" color="gray">
        Your profile
      </Button>
      <Button variant="subtle" color="gray" onClick={() => signOut.mutate()}>
        Sign out
      </Button>
    </>
  );
  if (!session?.can_create_account) {
    return (
      <EntryCard title="No account yet">
        <Text size="sm">
          You are signed in as {session?.user?.email}, but belong to no account. Ask an account's
          owner for an invitation.
        </Text>
        {ownButtons}
      </EntryCard>
    );
  }
  return (
    <EntryCard title="Create an account">
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack>
          <NameInput label="Account name" value={name} onChange={setName} />
          {create.error && <Failure error={create.error} />}
          <BusyButton type="submit" isBusy={create.isPending}>
            Create account
          </BusyButton>
          {ownButtons}
        </Stack>
      </Form>
    </EntryCard>
  );
}
