/** The form that creates another account, for users who may. */
import { Card, Stack, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { BusyButton } from "../../components/form/busy-button.tsx";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { Failure } from "../../components/failure.tsx";
import { NameInput } from "../../components/name-input.tsx";
import { useSession } from "../../session/session.ts";
import { Form } from "../../components/form/form.tsx";
import { FieldRow } from "../../components/form/field-row.tsx";

export function NewAccount() {
  const session = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => unwrap(api.POST("/accounts", { body: { name: name.trim() } })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: SESSION });
      await navigate(`/${id}/test/overview`);
    },
  });
  if (!session.data?.can_create_account) return null;
  return (
    <Card component="section" aria-labelledby="new-account">
      <Title order={2} id="new-account" fz={16} mb="sm">
        Another account
      </Title>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack gap="sm">
          {create.error && <Failure error={create.error} />}
          <FieldRow>
            <NameInput
              label="Name of the new account"
              description="It has its own keys, Tokens and members."
              value={name}
              onChange={setName}
              flex="1 1 240px"
            />
            <BusyButton type="submit" variant="default" isBusy={create.isPending}>
              Create account
            </BusyButton>
          </FieldRow>
        </Stack>
      </Form>
    </Card>
  );
}
