/** Settings, Webhooks: all deliveries, disabled URLs, test events and the signing secret. */
import { Stack } from "@mantine/core";
import { DataTable } from "../../components/data-table.tsx";
import { PageHead, Section } from "../../components/page-head.tsx";
import { Failure } from "../../components/states.tsx";
import { useAnswer } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { Deliveries } from "./deliveries.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { TestEvent } from "./test-event.tsx";

export default function Webhooks() {
  const { may } = useScope();
  return (
    <>
      <PageHead title="Webhooks">
        For each request with a webhook_url, we send a signed event when its video or image has
        finished.
      </PageHead>
      <Stack gap="lg">
        <Deliveries>
          <DisabledUrls />
          {may("sendTestEvent") && <TestEvent />}
          {may("retrieveWebhookSecret") && <SigningSecret />}
        </Deliveries>
      </Stack>
    </>
  );
}

function DisabledUrls() {
  const { may } = useScope();
  // An attempt may have disabled a URL a moment ago.
  const list = useAnswer("listDisabledUrls", {}, { staleTime: 0 });
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />;
  if (!list.data || list.data.data.length === 0) return null;
  return (
    <Section
      title="Disabled URLs"
      note="They answered 410 Gone, only failed for five days, or an operator disabled them: nothing more is sent to them."
    >
      <DataTable
        label="Disabled URLs"
        rows={list.data.data}
        keyOf={({ url }) => url}
        columns={[
          { head: "URL", cell: ({ url }) => url },
          { head: "Disabled", time: ({ disabled_at: at }) => at, from: 500 },
        ]}
        ending={
          may("enableUrl") && {
            action: "Enable",
            actionOn: ({ url }) => `Enable ${url}`,
            run: (call, { url }) => call("enableUrl", { body: { url } }),
          }
        }
      />
    </Section>
  );
}
