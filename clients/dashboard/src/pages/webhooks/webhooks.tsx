/** Settings, Webhooks: the signing secret, test events, disabled URLs and all deliveries. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { Deliveries } from "./deliveries.tsx";
import { DisabledUrls } from "./disabled-urls.tsx";
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
        {may("retrieveWebhookSecret") && <SigningSecret />}
        {may("sendTestEvent") && <TestEvent />}
        <DisabledUrls />
        <Deliveries />
      </Stack>
    </>
  );
}
