/** The page of a mailed link that confirms an address. Only the button uses the link, because mail filters open links. */
import { Alert, Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { BusyButton } from "../../components/form/form.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { Failure } from "../../components/states.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";

const RESULTS: Record<Schemas["EmailConfirmation"]["result"], string> = {
  verified: "Your address is confirmed.",
  sent_to_new_address: "Confirmed. Now open the link that was sent to your new address.",
  changed: "Your address is changed.",
};

export default function ConfirmEmail() {
  const token = useLinkFragment().get("token") ?? "";
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => unwrap(api.POST("/auth/email/confirm", { body: { token } })),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  return (
    <EntryCard title="Confirm your e-mail">
      {confirm.data ? (
        <>
          <Alert color="teal" role="status">
            {RESULTS[confirm.data.result]}
          </Alert>
          <Button component={Link} to="/" size="md" variant="default">
            Go to the dashboard
          </Button>
        </>
      ) : (
        <>
          <Text size="sm">Confirm that this link was sent to your address.</Text>
          {confirm.error && <Failure error={confirm.error} />}
          <BusyButton size="md" isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
            Confirm
          </BusyButton>
        </>
      )}
    </EntryCard>
  );
}
