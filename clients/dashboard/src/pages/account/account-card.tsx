/** The account's id, access and name, which owners may change. */
import { Badge, Card, Group, Stack, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { CopyText } from "../../components/copy-text.tsx";
import { DetailList } from "../../components/detail-list.tsx";
import { RenameForm } from "../../components/rename-form.tsx";
import { day } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";

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
        {may("updateAccount") && <Rename />}
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

function Rename() {
  const { account, params } = useScope();
  const client = useQueryClient();
  return (
    <RenameForm
      label="Account name"
      current={account.name}
      save={(name) =>
        unwrap(
          api.PATCH("/accounts/{account_id}", { params: { path: params.path }, body: { name } }),
        )
      }
      onSaved={() => client.invalidateQueries({ queryKey: SESSION })}
    />
  );
}
