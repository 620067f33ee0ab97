/** The account's id, access and name; owners rename it. */
import { Badge, Button, Card, Group, Stack, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { Copied } from "../../components/copy-button.tsx";
import { Facts } from "../../components/detail-list.tsx";
import { Failure } from "../../components/failure.tsx";
import { NameInput } from "../../components/name-input.tsx";
import { day } from "../../components/numbers.ts";
import { usePlace } from "../../session/scope.ts";

export function AccountCard() {
  const { account } = usePlace();
  return (
    <Card component="section" aria-labelledby="this-account">
      <Title order={2} id="this-account" fz={16} mb="sm">
        {account.name}
      </Title>
      <Stack>
        <Facts
          facts={[
            {
              name: "Id",
              value: (
                <Group gap={4} component="span">
                  <span className="mono">{account.id}</span>
                  <Copied value={account.id} label="Copy the account's id" />
                </Group>
              ),
            },
            { name: "Access", value: <Access /> },
            { name: "Your role", value: account.role },
            { name: "Made", value: day(account.created_at) },
          ]}
        />
        {account.role === "owner" && <Rename key={account.name} />}
      </Stack>
    </Card>
  );
}

function Access() {
  const { account } = usePlace();
  if (account.suspended) return <Badge color="red">suspended</Badge>;
  return account.production_granted ? (
    <Badge color="teal">test and live</Badge>
  ) : (
    <Badge color="amber">test only; ask operations for production access</Badge>
  );
}

function Rename() {
  const { account, params } = usePlace();
  const client = useQueryClient();
  const [name, setName] = useState(account.name);
  const rename = useMutation({
    mutationFn: () =>
      answered(
        api.PATCH("/accounts/{account_id}", {
          params: { path: params.path },
          body: { name: name.trim() },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      <Stack gap="sm">
        {rename.error && <Failure error={rename.error} />}
        <Group align="flex-end" gap="sm">
          <NameInput label="Name of the account" value={name} onChange={setName} flex="1 1 240px" />
          <Button
            type="submit"
            variant="default"
            loading={rename.isPending}
            disabled={name.trim() === account.name}
          >
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
