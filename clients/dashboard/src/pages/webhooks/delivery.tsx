/** The page of one delivery: its properties, attempts and payload, and a button to send it again. */
import { Anchor, Badge, Card, Code, Stack, Text } from "@mantine/core";
import { RotateCw } from "lucide-react";
import { useParams } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { answerOf } from "../../components/delivery-words.ts";
import { BusyButton } from "../../components/form/form.tsx";
import { PageHead, Section } from "../../components/page-head.tsx";
import { Failure, OneResult } from "../../components/states.tsx";
import {
  CodeBlock,
  Copyable,
  DeliveryState,
  DetailList,
  GenerationLink,
  Words,
} from "../../components/texts.tsx";
import { useAction, useAnswer } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { dateTime, tokens } from "../../data/value-format.ts";

export default function Delivery() {
  const { id = "" } = useParams();
  const isRunning = ({ delivery }: Schemas["DeliveryView"]) => delivery.status === "pending";
  const view = useAnswer("retrieveDelivery", { id }, { isRunning });
  return (
    <OneResult query={view} noun="delivery" page="settings/webhooks" all="webhooks">
      {(data) => <DeliveryView view={data} />}
    </OneResult>
  );
}

function DeliveryView({ view: { delivery, payload } }: { view: Schemas["DeliveryView"] }) {
  const { to, may } = useScope();
  const { generation_id: generation, next_attempt_at: next, event_id: event } = delivery;
  const redeliver = useAction((call) => call("redeliverDelivery", { id: delivery.id }));
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
        <Copyable text={delivery.id} />
      </PageHead>
      <Stack gap="lg">
        {redeliver.error && <Failure error={redeliver.error} />}
        <Card component="section" aria-label="Delivery">
          <DetailList
            details={[
              { name: "Status", value: <DeliveryState delivery={delivery} /> },
              { name: "Event", value: <Words text={delivery.type} /> },
              { name: "webhook-id", value: <Copyable text={event} label="Copy the webhook-id" /> },
              { name: "URL", value: <Copyable text={delivery.url} label="Copy the URL" /> },
              generation !== undefined && {
                name: "Generation",
                value: <GenerationLink id={generation} />,
              },
              next !== undefined && { name: "Next attempt", value: dateTime(next) },
            ]}
          />
        </Card>
        <Section title="Attempts">
          <Attempts attempts={delivery.attempts} />
        </Section>
        {payload !== undefined && (
          <Section title="Payload">
            <CodeBlock
              code={JSON.stringify(JSON.parse(payload), undefined, 2)}
              label="Payload as JSON"
            />
          </Section>
        )}
      </Stack>
    </>
  );
}

type Attempt = Schemas["WebhookAttempt"];

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <DataTable
      label="Attempts"
      rows={attempts.toReversed()}
      keyOf={({ at }) => at}
      empty={<Text size="sm">None yet; the first is due now.</Text>}
      columns={[
        { head: "Answer", cell: answerIn },
        { head: "Duration", width: 100, isRight: true, from: 500, below: true, cell: durationOf },
        { head: "Time", width: 215, isRight: true, from: 500, below: true, cell: timeOf },
      ]}
    />
  );
}

const durationOf = ({ duration_ms: ms }: Attempt) => `${tokens(ms)} ms`;
const timeOf = ({ at }: Attempt) => dateTime(at);

const REMEDIES = "/docs/guides/webhooks#when-your-receiver-is-down";

function answerIn(attempt: Attempt) {
  const { at, status_code: status = 0, response_body: body } = attempt;
  const label = `Answer of ${dateTime(at)}`;
  return (
    <>
      <Badge color={status >= 200 && status < 300 ? "teal" : "red"}>
        {status || answerOf(attempt)}
      </Badge>
      {status === 0 && (
        <Anchor href={REMEDIES} size="xs" underline="always" ml="xs">
          What to do
        </Anchor>
      )}
      {body && (
        <Code block fz={12} mah={160} mt={6} tabIndex={0} role="region" aria-label={label}>
          {body}
        </Code>
      )}
    </>
  );
}
