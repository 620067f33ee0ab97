/** The form that sets when and where the account is told about its balance and its limits. */
import { Checkbox, SimpleGrid } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { ActionForm } from "../../components/action-form.tsx";
import { field, optionalNumber, TextInput, TokensInput } from "../../components/form/form.tsx";
import { useScope } from "../../data/scope.ts";

type Settings = Schemas["AlertSettings"];

/** Up to five numbers from 1 to 100. */
const PERCENTS = "\\s*(100|[1-9][0-9]?)(\\s*,\\s*(100|[1-9][0-9]?)){0,4}\\s*";

export function AlertsForm({ alerts }: { alerts: Settings }) {
  const { may } = useScope();
  const isDisabled = !may("setAlerts");
  return (
    <ActionForm
      action="Save alerts"
      answered={() => "Saved"}
      isHidden={isDisabled}
      run={(call, form) => call("setAlerts", { body: settingsOf(form) })}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TokensInput
          name="low_balance"
          label="Alert when the balance falls below"
          description="In available Tokens"
          value={alerts.low_balance}
          disabled={isDisabled}
        />
        <TextInput
          name="limit_percents"
          label="Alert at these percentages of a limit"
          description="100 also tells of a refused request"
          placeholder="80, 100"
          pattern={PERCENTS}
          title="Enter up to five numbers from 1 to 100, with commas between them."
          defaultValue={alerts.limit_percents.join(", ")}
          disabled={isDisabled}
        />
      </SimpleGrid>
      <TextInput
        name="webhook_url"
        label="Webhook URL for alerts"
        description="Signed with the secret of live mode"
        type="url"
        maxLength={2_048}
        placeholder="https://shop.example.com/hooks/alerts"
        defaultValue={alerts.webhook_url ?? ""}
        disabled={isDisabled}
      />
      <Checkbox
        name="mail"
        label="Mail owners and the billing role"
        defaultChecked={alerts.mail}
        disabled={isDisabled}
      />
    </ActionForm>
  );
}

function settingsOf(form: FormData): Settings {
  const url = field(form, "webhook_url");
  const percents = field(form, "limit_percents").split(",").map(Number);
  return {
    ...optionalNumber(form, "low_balance"),
    limit_percents: [...new Set(percents.filter((percent) => percent > 0))],
    ...(url !== "" && { webhook_url: url }),
    mail: form.get("mail") !== null,
  };
}
