/** The page of one delivery: its properties, attempts and payload, and a button to send it again. */
import { Anchor, Badge, Card, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { Link, useParams } from "react-router";
import { BusyButton } from "../../components/form/form.tsx";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { pollMs, refetch } from "../../data/refetch.ts";
import {
  CodeBlock,
  DeliveryState,
  type Detail,
  DetailList,
  EventType,
} from "../../components/texts.tsx";
import { Failure, Missing, QueryResult } from "../../components/states.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { dateTime } from "../../components/value-format.ts";
import { answerOf } from "../../components/delivery-words.ts";

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

function deliveryDetails(
  delivery: Schemas["WebhookDelivery"],
  to: (page: string) => string,
): Detail[] {
  const { generation_id: generationId, next_attempt_at: next } = delivery;
  return [
    { name: "Status", value: <DeliveryState delivery={delivery} /> },
    { name: "Event", value: <EventType type={delivery.type} /> },
    { name: "webhook-id", value: <span className="mono">{delivery.event_id}</span> },
    { name: "URL", value: delivery.url },
    ...(generationId
      ? [
          {
            name: "Generation",
            value: (
              <Anchor component={Link} to={to(`generations/${generationId}`)} className="mono">
                {generationId}
              </Anchor>
            ),
          },
        ]
      : []),
    ...(next ? [{ name: "Next attempt", value: dateTime(next) }] : []),
  ];
}

type Attempt = Schemas["WebhookAttempt"];

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None yet; the first is due now.
      </Text>
    );
  }
  return (
    <Stack gap="md" component="ol" m={0} p={0} style={{ listStyle: "none" }}>
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.at}>
          <Group gap="sm" mb={attempt.response_body ? 6 : 0}>
            <Badge color={isAccepted(attempt) ? "teal" : "red"}>
              {attempt.status_code ?? answerOf(attempt)}
            </Badge>
            <Text size="sm">
              <time dateTime={attempt.at}>{dateTime(attempt.at)}</time>
            </Text>
            <Text size="sm" c="dimmed" className="number">
              {attempt.duration_ms} ms
            </Text>
          </Group>
          {attempt.response_body && (
            <Code
              block
              fz={12}
              mah={160}
              tabIndex={0}
              role="region"
              aria-label={`Answer of ${dateTime(attempt.at)}`}
            >
              {attempt.response_body}
            </Code>
          )}
        </li>
      ))}
    </Stack>
  );
}

function isAccepted({ status_code: status = 0 }: Attempt): boolean {
  return status >= 200 && status < 300;
}
