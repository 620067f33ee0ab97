/** Settings, Account: the account's name and access, another account, and leaving. */
import { Card, Stack } from "@mantine/core";
import { UserMinus } from "lucide-react";
import { useNavigate } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { ActionForm } from "../../components/action-form.tsx";
import { DialogButton } from "../../components/dialog.tsx";
import { field, NameInput, TokensInput } from "../../components/form/form.tsx";
import { PageHead, Section } from "../../components/page-head.tsx";
import { DetailList, Copyable, TextLink } from "../../components/texts.tsx";
import { useScope } from "../../data/scope.ts";
import { REQUEST_LIMITS } from "#gen/openapi/limits.ts";
import { day } from "../../data/value-format.ts";
import { useSession } from "../../session/session.ts";

export default function Account() {
  const { data: session } = useSession();
  return (
    <>
      <PageHead title="Account">
        How you sign in is in <TextLink to="/profile">your profile</TextLink>.
      </PageHead>
      <Stack gap="lg">
        <AccountCard />
        {session?.can_create_account && <NewAccount />}
        <LeaveCard />
      </Stack>
    </>
  );
}

function AccountCard() {
  const { account, may } = useScope();
  return (
    <Section title={account.name} note={<Copyable text={account.id} />}>
      <Stack>
        <DetailList
          details={[
            { name: "Access", value: accessOf(account) },
            { name: "Your role", value: account.role },
            { name: "Created", value: day(account.created_at) },
          ]}
        />
        {may("updateAccount") && (
          <ActionForm
            isRow
            action="Rename"
            run={(call, form) => call("updateAccount", { body: { name: field(form, "name") } })}
          >
            <NameInput label="Account name" defaultValue={account.name} flex="1 1 240px" />
          </ActionForm>
        )}
        <ActionForm
          isRow
          action="Save"
          isHidden={!may("updateAccount")}
          run={(call, form) =>
            call("updateAccount", { body: { confirm_above_tokens: Number(field(form, "tokens")) } })
          }
        >
          <TokensInput
            name="tokens"
            label="Ask before a live generation above, in Tokens"
            description="In the playground. Without a number it never asks."
            inputWrapperOrder={["label", "input", "description", "error"]}
            value={account.confirm_above_tokens}
            max={REQUEST_LIMITS.tokens}
            disabled={!may("updateAccount")}
            flex="1 1 240px"
          />
        </ActionForm>
      </Stack>
    </Section>
  );
}

function accessOf({ suspended, production_granted: isGranted }: Schemas["Account"]): string {
  if (suspended) return "suspended";
  return isGranted ? "test and live" : "test only; ask operations for production access";
}

function NewAccount() {
  const navigate = useNavigate();
  return (
    <Section title="Another account" note="It has its own keys, Tokens and members.">
      <ActionForm
        isRow
        action="Create account"
        run={(call, form) => call("createAccount", { body: { name: field(form, "name") } })}
        onDone={({ id }) => navigate(`/${id}/test/overview`)}
      >
        <NameInput label="Name of the new account" flex="1 1 240px" />
      </ActionForm>
    </Section>
  );
}

function LeaveCard() {
  const { account } = useScope();
  const navigate = useNavigate();
  return (
    <Card component="section" aria-label="Leave">
      <DialogButton
        label="Leave this account"
        icon={<UserMinus size={15} aria-hidden />}
        title={`Leave ${account.name}?`}
        text="You lose access to this account at once, and the invitations that you made are withdrawn. Its API keys keep working: revoke those that should not."
        action="Leave"
        isDangerous
        run={async (call) => {
          await call("leaveAccount", {});
          await navigate("/");
        }}
      />
    </Card>
  );
}
