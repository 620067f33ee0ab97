/** For a person who belongs to no account: make one where that is allowed, or wait for an invitation. */
import { Button, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../api/client.ts";
import { SESSION } from "../api/query-client.ts";
import { DoorCard } from "../layout/door-card.tsx";
import { Failure } from "../components/failure.tsx";
import { NameInput } from "../components/name-input.tsx";
import { useSignOut } from "./session.ts";
import type { Session } from "./session.ts";

export function NoAccount({ session }: { session: Session }) {
  const client = useQueryClient();
  const signOut = useSignOut();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => answered(api.POST("/accounts", { body: { name: name.trim() } })),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  const leave = (
    <Button variant="subtle" color="gray" onClick={() => signOut.mutate()}>
      Sign out
    </Button>
  );
  if (!session.can_create_account) {
    return (
      <DoorCard title="No account yet">
        <Text size="sm">
          You are signed in as {session.user?.email}, and belong to no account. Ask an owner of an
          account for an invitation.
        </Text>
        {leave}
      </DoorCard>
    );
  }
  return (
    <DoorCard title="Make an account">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack>
          <NameInput label="Name of the account" value={name} onChange={setName} />
          {create.error && <Failure error={create.error} />}
          <Button type="submit" loading={create.isPending}>
            Make account
          </Button>
          {leave}
        </Stack>
      </form>
    </DoorCard>
  );
}
