/** Settings, Account: the account's name and access, another account, and leaving. */
import { Anchor, Badge, Button, Card, Group, Stack, Title } from "@mantine/core";
import { Link, useNavigate } from "react-router";
import { PageHead } from "../../components/page-head.tsx";
import { useDisclosure } from "@mantine/hooks";
import { UserMinus } from "lucide-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { useScope } from "../../data/scope.ts";
import { useState } from "react";
import { BusyButton, FieldRow, Form, NameInput } from "../../components/form/form.tsx";
import { Failure } from "../../components/states.tsx";
import { useSession } from "../../session/session.ts";
import { CopyText, DetailList } from "../../components/texts.tsx";
import { RenameForm } from "../../components/rename-form.tsx";
import { day } from "../../components/value-format.ts";

export default function Account() {
  return (
    <>
      <PageHead title="Account">
        How you sign in is in{" "}
        <Anchor component={Link} to="/profile" size="sm" underline="always">
          your profile
        </Anchor>
        .
      </PageHead>
      <Stack gap="lg">
        <AccountCard />
        <NewAccount />
        <LeaveCard />
      </Stack>
    </>
  );
}

function LeaveCard() {
  const [isConfirming, confirming] = useDisclosure(false);
  return (
    <Card component="section" aria-label="Leave">
      <Button
        variant="default"
        w="fit-content"
        c="var(--mantine-color-error)"
        leftSection={<UserMinus size={15} aria-hidden />}
        onClick={confirming.open}
      >
        Leave this account
      </Button>
      {isConfirming && <LeaveAccount onClose={confirming.close} />}
    </Card>
  );
}

function LeaveAccount({ onClose }: { onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE("/accounts/{account_id}/membership", { params: { path: params.path } })),
    onSuccess: async () => {
      onClose();
      await navigate("/");
      await client.invalidateQueries({ queryKey: SESSION });
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Leave ${account.name}?`}
      action="Leave"
      isPending={leave.isPending}
      error={leave.error}
      onConfirm={() => leave.mutate()}
      onClose={onClose}
    >
      You lose access to this account at once, and the invitations that you made are withdrawn. Its
      API keys keep working: revoke those that should not.
    </ConfirmDialog>
  );
}

function NewAccount() {
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

function AccountCard() {
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
