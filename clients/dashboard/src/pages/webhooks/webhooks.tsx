/** Settings, Webhooks: the signing secret, test events, disabled URLs and all deliveries. */
import { Card, Stack, Text, Title } from "@mantine/core";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { Deliveries } from "./deliveries.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { TestEvent } from "./test-event.tsx";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { BusyButton } from "../../components/form/form.tsx";
import { api, unwrap } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { Failure } from "../../components/states.tsx";
import { RelativeTime } from "../../components/texts.tsx";
import classes from "./disabled-urls.module.css";

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

function DisabledUrls() {
  const { keyPrefix, params, may } = useScope();
  const client = useQueryClient();
  const list = useQuery({
    queryKey: queryKeys.disabledUrls(keyPrefix),
    queryFn: () => unwrap(api.GET("/accounts/{account_id}/webhooks/disabled-urls", { params })),
    select: ({ data }) => data,
    // An attempt may have disabled a URL a moment ago.
    staleTime: 0,
  });
  const enable = useMutation({
    mutationFn: (url: string) =>
      unwrap(
        api.POST("/accounts/{account_id}/webhooks/disabled-urls/enable", {
          params,
          body: { url },
        }),
      ),
    onSuccess: () => refetch(client, queryKeys.disabledUrls(keyPrefix)),
  });
  if (list.error) return <Failure error={list.error} retry={() => void list.refetch()} />;
  if (!list.data || list.data.length === 0) return null;
  return (
    <Card component="section" aria-labelledby="disabled">
      <Title order={2} id="disabled" fz={16}>
        Disabled URLs
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        They answered 410 Gone, or only failed for five days, so nothing more is sent to them.
      </Text>
      {enable.error && <Failure error={enable.error} />}
      <ul className={classes.list} aria-label="Disabled URLs">
        {list.data.map(({ url, disabled_at: at }) => (
          <li key={url} className={classes.item}>
            <Text size="sm" className={classes.url}>
              {url}
            </Text>
            <Text size="sm" c="dimmed">
              disabled <RelativeTime time={at} />
            </Text>
            {may("enableUrl") && (
              <BusyButton
                size="xs"
                variant="default"
                aria-label={`Enable ${url}`}
                isBusy={enable.isPending && enable.variables === url}
                onClick={() => enable.mutate(url)}
              >
                Enable
              </BusyButton>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
