/** One delivery: where it goes, every attempt with its answer, what is sent, and sending it again. */
import { Button, Card, Skeleton, Stack, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useParams } from "react-router";
import { answered, api } from "../../api/client.ts";
import type { Schemas } from "../../api/client.ts";
import { keys } from "../../data/keys.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { Facts } from "../../components/detail-list.tsx";
import { Failure } from "../../components/failure.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { Shown } from "../../components/value-format.tsx";
import { usePlace } from "../../session/scope.ts";
import { Attempts } from "./attempts.tsx";
import { deliveryFacts } from "./delivery-details.tsx";

const REFRESH_MS = 2_000;

export default function Delivery() {
  const { id = "" } = useParams();
  const { scope, params } = usePlace();
  const view = useQuery({
    queryKey: [...keys.deliveries(scope), id],
    queryFn: () =>
      answered(
        api.GET("/accounts/{account_id}/webhooks/deliveries/{id}", {
          params: { ...params, path: { ...params.path, id } },
        }),
      ),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.delivery.status === "pending" ? REFRESH_MS : false,
  });
  return (
    <Shown query={view} loading={<Skeleton height={360} radius="lg" />}>
      {(data) => <View view={data} />}
    </Shown>
  );
}

function View({ view: { delivery, payload } }: { view: Schemas["DeliveryView"] }) {
  const { scope, params, to } = usePlace();
  const client = useQueryClient();
  const redeliver = useMutation({
    mutationFn: () =>
      answered(
        api.POST("/accounts/{account_id}/webhooks/deliveries/{id}/redeliver", {
          params: { ...params, path: { ...params.path, id: delivery.id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.deliveries(scope) }),
  });
  return (
    <>
      <PageHead
        title="Webhook delivery"
        actions={
          <Button
            leftSection={<RotateCw size={15} aria-hidden />}
            loading={redeliver.isPending}
            onClick={() => redeliver.mutate()}
          >
            Send again
          </Button>
        }
      >
        <span className="mono">{delivery.id}</span>
      </PageHead>
      <Stack gap="lg">
        {redeliver.error && <Failure error={redeliver.error} />}
        <Card component="section" aria-label="Delivery">
          <Facts facts={deliveryFacts(delivery, to)} />
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
            <CodeBlock code={readable(payload)} label="Payload as JSON" />
          </Card>
        )}
      </Stack>
    </>
  );
}

function readable(payload: string): string {
  try {
    return JSON.stringify(JSON.parse(payload), undefined, 2);
  } catch {
    return payload;
  }
}
