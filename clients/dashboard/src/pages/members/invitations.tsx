/** Invitations: the form, the link of a new invitation, and the list of open ones. */
import { Alert, Card, Code, Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import {
  BusyButton,
  CurrentPassword,
  field,
  FieldRow,
  Form,
  onSubmit,
  passwordIn,
  TextInput,
} from "../../components/form/form.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { CopyText, Creator } from "../../components/texts.tsx";
import { DataTable, endingColumn, type Column } from "../../components/data-table.tsx";
import { Failure, QueryResult } from "../../components/states.tsx";
import { day } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";
import { EXPLAINED_ROLE_CHOICES, isRole, type Role } from "./roles.ts";

const COLUMNS: Column<Schemas["Invitation"]>[] = [
  {
    head: "Invited",
    cell: ({ email, created_by: creator }) => (
      <>
        {email}
        <Creator creator={creator} />
      </>
    ),
  },
  { head: "Role", cell: ({ role }) => role },
  { head: "Valid until", cell: ({ expires_at: until }) => day(until), from: 400 },
];

export function Invitations() {
  const { account, params } = useScope();
  const client = useQueryClient();
  const path = params.path;
  /** Kept when the next invitation fails: its link is nowhere else. */
  const [invited, setInvited] = useState<Schemas["CreatedInvitation"] & { isAgain: boolean }>();
  const [role, setRole] = useState<Role>("developer");
  const emailInput = useRef<HTMLInputElement>(null);
  const refresh = () => refetch(client, queryKeys.invitations(account.id));
  const invitations = useQuery({
    queryKey: queryKeys.invitations(account.id),
    queryFn: () => unwrap(api.GET("/accounts/{account_id}/invitations", { params: { path } })),
    select: ({ data }) => data,
  });
  const invite = useMutation({
    mutationFn: (body: Schemas["CreateInvitationRequest"]) =>
      unwrap(api.POST("/accounts/{account_id}/invitations", { params: { path }, body })),
    onSuccess: (created) => {
      if (emailInput.current) emailInput.current.value = "";
      const { email } = created.invitation;
      setInvited({
        ...created,
        isAgain: invitations.data?.some((one) => one.email === email) ?? false,
      });
      return refresh();
    },
    gcTime: 0,
  });
  const withdraw = useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE("/accounts/{account_id}/invitations/{invitation_id}", {
          params: { path: { ...path, invitation_id: id } },
        }),
      ),
    onSuccess: (_nothing, id) =>
      setInvited((shown) => (shown?.invitation.id === id ? undefined : shown)),
    onSettled: refresh,
  });
  return (
    <Card component="section" aria-labelledby="invite">
      <Title order={2} id="invite" fz={16} mb="sm">
        Invite someone
      </Title>
      <Stack>
        <Form
          onSubmit={onSubmit((form) => {
            const role = field(form, "role");
            if (!isRole(role)) return;
            const { password } = passwordIn(form);
            invite.mutate({ email: field(form, "email").trim(), role, current_password: password });
          })}
        >
          <FieldRow>
            <TextInput
              ref={emailInput}
              name="email"
              label="E-mail"
              type="email"
              required
              placeholder="ada@example.com"
              flex="1 1 240px"
            />
            <NativeSelect
              name="role"
              label="Role"
              data={EXPLAINED_ROLE_CHOICES}
              flex="1 1 240px"
              value={role}
              onChange={({ currentTarget: { value } }) => isRole(value) && setRole(value)}
            />
            <BusyButton type="submit" isBusy={invite.isPending}>
              Invite
            </BusyButton>
          </FieldRow>
          {role === "owner" && <CurrentPassword label="Your password" />}
        </Form>
        {invite.error && <Failure error={invite.error} />}
        {invited && <Invited {...invited} />}
        {withdraw.error && <Failure error={withdraw.error} />}
        <QueryResult query={invitations}>
          {(open) =>
            open.length > 0 && (
              <DataTable
                label="Open invitations"
                rows={open}
                keyOf={({ id }) => id}
                columns={[
                  ...COLUMNS,
                  endingColumn<Schemas["Invitation"]>({
                    action: "Withdraw",
                    actionOn: ({ email }) => `Withdraw the invitation of ${email}`,
                    end: withdraw,
                  }),
                ]}
              />
            )
          }
        </QueryResult>
      </Stack>
    </Card>
  );
}

type InvitedProps = Schemas["CreatedInvitation"] & {
  /** Whether an earlier invitation was open. */
  isAgain: boolean;
};

function Invited({ url, invitation: { email }, isAgain }: InvitedProps) {
  const replaced = isAgain && " The link of the earlier invitation no longer works.";
  if (url === undefined) {
    return (
      <Alert color="teal" role="status">
        A mail with a link is on its way to {email}. The link works for seven days, once.
        {replaced}
      </Alert>
    );
  }
  return (
    <Alert color="teal" title={`Send this link to ${email}`} role="status">
      <Text size="sm" mb="xs">
        No mail is sent. The link is shown once and works for seven days.{replaced}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code style={{ overflowWrap: "anywhere" }} data-testid="invitation-link">
          {url}
        </Code>
        <CopyText value={url} label="Copy the link" />
      </Group>
    </Alert>
  );
}
