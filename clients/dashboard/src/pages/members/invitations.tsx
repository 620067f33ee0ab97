/** Invitations: the form, the link of a new invitation, and the list of open ones. */
import { Alert, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { ActionForm, Done } from "../../components/action-form.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { DialogButton } from "../../components/dialog.tsx";
import { EmailInput, field, OwnPassword, passwordIn } from "../../components/form/form.tsx";
import { Section } from "../../components/page-head.tsx";
import { Creator, Copyable, Words } from "../../components/texts.tsx";
import { type Call, useAnswer } from "../../data/queries.ts";
import { day } from "../../data/value-format.ts";

export type Role = Schemas["Role"];

/** What each role may do, as the rest of a sentence after a colon; the one that may do least first. */
export const ROLE_MEANINGS: Record<Role, string> = {
  viewer: "reads all but secrets and the audit log",
  billing: "money, limits and alerts",
  developer: "generations, API keys and webhooks",
  owner: "everything, also members and signing secrets",
};

export const ROLES = Object.keys(ROLE_MEANINGS);

type Invited = Schemas["CreatedInvitation"];

export function Invitations() {
  /** Kept when the next invitation fails: its link is nowhere else. */
  const [invited, setInvited] = useState<Invited>();
  const [role, setRole] = useState<Role>("developer");
  const invitations = useAnswer("listInvitations", {});
  const invite = async (call: Call, form: FormData) => {
    const body = { email: field(form, "email"), role, current_password: passwordIn(form).password };
    setInvited(await call("createInvitation", { body }));
    setRole("developer");
  };
  return (
    <Section title="Invite someone">
      <Stack>
        <ActionForm isRow isCleared action="Invite" run={invite}>
          <EmailInput autoComplete="off" placeholder="ada@example.com" flex="1 1 240px" />
          <NativeSelect
            label="Role"
            data={ROLES}
            description={ROLE_MEANINGS[role]}
            inputWrapperOrder={["label", "input", "description"]}
            flex="1 1 240px"
            defaultValue="developer"
            onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}
          />
          {role === "owner" && <OwnPassword />}
        </ActionForm>
        {invited && <InvitedNotice {...invited} />}
        <DataTable
          label="Open invitations"
          query={invitations}
          empty={null}
          columns={[
            {
              head: "Invited",
              cell: ({ email, created_by: creator }) => (
                <>
                  <Words text={email} />
                  <Creator creator={creator} />
                </>
              ),
            },
            { head: "Role", cell: (one) => one.role, from: 500, below: true },
            { head: "Valid until", cell: ({ expires_at: until }) => day(until), from: 500 },
            {
              width: 110,
              from: 500,
              below: true,
              actions: ({ id, email }) => (
                <DialogButton
                  label="Withdraw"
                  name={`Withdraw the invitation of ${email}`}
                  size="xs"
                  title={`Withdraw the invitation of ${email}?`}
                  text="Its link no longer works."
                  action="Withdraw"
                  isDangerous
                  run={(call) => call("withdrawInvitation", { invitation_id: id })}
                  onDone={() => setInvited((one) => (one?.invitation.id === id ? undefined : one))}
                />
              ),
            },
          ]}
        />
      </Stack>
    </Section>
  );
}

function InvitedNotice({ url, invitation: { email } }: Invited) {
  if (url === undefined) {
    return (
      <Done>
        A mail with a link is on its way to {email}. The link works for seven days, once; an earlier
        one to this address no longer does.
      </Done>
    );
  }
  return (
    <Alert color="teal" title={`Send this link to ${email}`} role="status">
      <Text size="sm" mb="xs">
        No mail is sent. The link is shown once and works for seven days; an earlier one to this
        address no longer does.
      </Text>
      <Copyable text={url} label="Copy the link" testId="invitation-link" />
    </Alert>
  );
}
