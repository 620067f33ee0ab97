/** The page of one delivery: its properties, attempts and payload, and a button to send it again. */
import { Card, Skeleton, Stack, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useParams } from "react-router";
import { BusyButton } from "../../components/form/busy-button.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { pollMs } from "../../data/list.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { refetch } from "../../data/refetch.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { DetailList } from "../../components/detail-list.tsx";
import { Failure } from "../../components/failure.tsx";
import { Missing } from "../../components/missing.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useScope } from "../../data/scope.ts";
import { Attempts } from "./attempts.tsx";
import { deliveryDetails } from "./delivery-details.tsx";

export default function Delivery() {
  const { id = "" } = useParams();
  const { keyPrefix, params } = useScope();
  const view = useQuery({
    queryKey: [...queryKeys.deliveries(keyPrefix), id],
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/webhooks/deliveries/{id}", {
          params: { ...params, path: { ...params.path, id } },
        }),
      ),
    refetchInterval: ({ state: { data } }) => pollMs(data?.delivery.status === "pending"),
  });
  return (
    <QueryResult
      query={view}
      loading={<Skeleton height={360} radius="lg" />}
      missing={
        <Missing title="No such delivery" page="settings/webhooks" pageName="the webhooks">
          It was deleted with its generation, or it belongs to the other mode or another account.
        </Missing>
      }
    >
      {(data) => <DeliveryView view={data} />}
    </QueryResult>
  );
}

function DeliveryView({ view: { delivery, payload } }: { view: Schemas["DeliveryView"] }) {
  const { keyPrefix, params, to, may } = useScope();
  const client = useQueryClient();
  const redeliver = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/accounts/{account_id}/webhooks/deliveries/{id}/redeliver", {
          params: { ...params, path: { ...params.path, id: delivery.id } },
        }),
      ),
    onSuccess: () => refetch(client, queryKeys.deliveries(keyPrefix)),
  });
  return (
    <>
      <PageHead
        title="Webhook delivery"
        parent={{ to: to("settings/webhooks"), label: "Webhooks" }}
        actions={
          may("redeliverDelivery") && (
            <BusyButton
              leftSection={<RotateCw size={15} aria-hidden />}
              isBusy={redeliver.isPending}
              onClick={() => redeliver.mutate()}
            >
              Send again
            </BusyButton>
          )
        }
      >
        <span className="mono">{delivery.id}</span>
      </PageHead>
      <Stack gap="lg">
        {redeliver.error && <Failure error={redeliver.error} />}
        <Card component="section" aria-label="Delivery">
          <DetailList details={deliveryDetails(delivery, to)} />
        </Card>
        <Card component="section" aria-labelledby="attempts">
          <Title order={2} id="attempts" fz={16} mb="sm">
            Attempts
          </Title>
          <Attempts attempts={delivery.attempts} />
        </Card>
        {payload !== undefined && (
          <Card component="section" aria-labelledby="payload">
            <Title order={2} id="payload" fz={16} mb="sm">
              Payload
            </Title>
            <CodeBlock code={formatJson(payload)} label="Payload as JSON" />
          </Card>
        )}
      </Stack>
    </>
  );
}

/** Indented where it is JSON, else unchanged. */
function formatJson(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), undefined, 2);
  } catch {
    return payload;
  }
}
