/** Settings, Webhooks: the signing secret, a test event, URLs that were disabled, and all deliveries. */
import { Stack } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { Deliveries } from "./deliveries.tsx";
import { DisabledUrls } from "./disabled-urls.tsx";
import { Secret } from "./secret.tsx";
import { TestEvent } from "./test-event.tsx";

export default function Webhooks() {
  return (
    <>
      <PageHead title="Webhooks">
        A request that carries a webhook_url is told how its video ended, by a signed event.
      </PageHead>
      <Stack gap="lg">
        <Secret />
        <TestEvent />
        <DisabledUrls />
        <Deliveries />
      </Stack>
    </>
  );
}
