/** The page of a mailed link that confirms an address. Only the button uses the link, because mail filters open links. */
import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { ActionForm, Done } from "../../components/action-form.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";

type Result = Schemas["EmailConfirmation"]["result"];

const RESULTS: Record<Result, string> = {
  verified: "Your address is confirmed.",
  sent_to_new_address: "Confirmed. Now open the link that was sent to your new address.",
  changed: "Your address is changed.",
};

export default function ConfirmEmail() {
  const token = useLinkFragment().get("token") ?? "";
  const [result, setResult] = useState<Result>();
  return (
    <EntryCard title="Confirm your e-mail">
      {result ? (
        <>
          <Done>{RESULTS[result]}</Done>
          <Button component={Link} to="/" size="md" variant="default">
            Go to the dashboard
          </Button>
        </>
      ) : (
        <ActionForm
          isEntry
          action="Confirm"
          run={(call) => call("confirmEmail", { body: { token } })}
          onDone={(confirmed) => setResult(confirmed.result)}
        >
          <Text size="sm">Confirm that this link was sent to your address.</Text>
        </ActionForm>
      )}
    </EntryCard>
  );
}
