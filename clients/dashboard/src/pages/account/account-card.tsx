/** The account's id, access and name, which owners may change. */
import { Badge, Button, Card, Group, Stack, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { CopyText } from "../../components/copy-text.tsx";
import { DetailList } from "../../components/detail-list.tsx";
import { Failure } from "../../components/failure.tsx";
import { NameInput } from "../../components/name-input.tsx";
import { day } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";
import { Form } from "../../components/form/form.tsx";
import { FieldRow } from "../../components/form/field-row.tsx";

export function AccountCard() {
  const { account, may } = useScope();
  return (
    <Card component="section" aria-labelledby="this-account">
      <Title order={2} id="this-account" fz={16} mb="sm">
        {account.name}
      </Title>
      <Stack>
        <DetailList
          details={[
            {
              name: "Id",
              value: (
                <Group gap={4} component="span">
                  <span className="mono">{account.id}</span>
                  <CopyText value={account.id} label="Copy the account's id" />
                </Group>
              ),
            },
            { name: "Access", value: <Access /> },
            { name: "Your role", value: account.role },
            { name: "Created", value: day(account.created_at) },
          ]}
        />
        {may("updateAccount") && <RenameForm key={account.name} />}
      </Stack>
    </Card>
  );
}

function Access() {
  const { account } = useScope();
  if (account.suspended) return <Badge color="red">suspended</Badge>;
  return account.production_granted ? (
    <Badge color="teal">test and live</Badge>
  ) : (
    <Badge color="amber">test only; ask operations for production access</Badge>
  );
}

function RenameForm() {
  const { account, params } = useScope();
  const client = useQueryClient();
  const [name, setName] = useState(account.name);
  const rename = useMutation({
    mutationFn: () =>
      unwrap(
        api.PATCH("/accounts/{account_id}", {
          params: { path: params.path },
          body: { name: name.trim() },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      <Stack gap="sm">
        {rename.error && <Failure error={rename.error} />}
        <FieldRow>
          <NameInput label="Account name" value={name} onChange={setName} flex="1 1 240px" />
          <Button
            type="submit"
            variant="default"
            loading={rename.isPending}
            disabled={name.trim() === account.name}
          >
            Rename
          </Button>
        </FieldRow>
      </Stack>
    </Form>
  );
}
