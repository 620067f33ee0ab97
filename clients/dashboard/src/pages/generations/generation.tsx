/** The page of one generation: output or error, input, timeline, Tokens and webhook deliveries. */
import { Button, Card, Grid, Group, Stack, Text } from "@mantine/core";
import { RotateCcw, Trash2 } from "lucide-react";
import { Link, useNavigate, useParams } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { DELIVERY_COLUMNS } from "../../components/delivery-table.tsx";
import { DialogButton } from "../../components/dialog.tsx";
import { GenerationOutcome } from "../../components/generation-outcome.tsx";
import { PageHead, Section } from "../../components/page-head.tsx";
import { OneResult } from "../../components/states.tsx";
import { CodeBlock, Copyable, StatusBadge, TextLink } from "../../components/texts.tsx";
import { TransactionTable } from "../../components/transaction-table.tsx";
import { isFinished, isVideo } from "../../data/generation.ts";
import { useGeneration } from "../../data/queries.ts";
import { useNotice, useScope } from "../../data/scope.ts";
import { Input } from "./input.tsx";
import { GenerationTimeline } from "./timeline.tsx";

type View = Schemas["GenerationView"];

export default function Generation() {
  const { id = "" } = useParams();
  const view = useGeneration(id);
  return (
    <OneResult query={view} noun="generation" page="generations" all="generations">
      {(data) => <GenerationDetails view={data} />}
    </OneResult>
  );
}

function GenerationDetails({ view }: { view: View }) {
  const { to, may } = useScope();
  const navigate = useNavigate();
  const say = useNotice();
  const { generation, timeline, transactions, deliveries } = view;
  const kind = isVideo(generation) ? "video" : "image";
  return (
    <>
      <PageHead
        title={kind === "video" ? "Video" : "Image"}
        parent={{ to: to("generations"), label: "Generations" }}
        actions={
          <>
            {may("createPlaygroundVideo") && (
              <Button
                variant="default"
                component={Link}
                to={to("playground")}
                state={{ input: generation.input }}
                leftSection={<RotateCcw size={15} aria-hidden />}
              >
                Open in playground
              </Button>
            )}
            {may("deleteGeneration") && isFinished(generation) && (
              <DialogButton
                label="Delete"
                icon={<Trash2 size={15} aria-hidden />}
                title={`Delete this ${kind}?`}
                text="Its files, its input and its webhooks are deleted within a minute, and its URLs stop working. Its id and its transactions stay. This cannot be undone."
                action="Delete"
                isDangerous
                run={async (call) => {
                  await call("deleteGeneration", { id: generation.id });
                  await navigate(to("generations"), { replace: true });
                }}
                onDone={() => say("1 generation deleted")}
              />
            )}
          </>
        }
      >
        <Group gap={6}>
          <Copyable text={generation.id} />
          <StatusBadge status={generation.status} />
        </Group>
      </PageHead>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <Card component="section" aria-label="Output">
              <GenerationOutcome generation={generation} />
            </Card>
            <Section title="Tokens">
              <TransactionTable
                transactions={transactions}
                label="Tokens of this generation"
                isShort
              />
            </Section>
            <Section title="Webhook deliveries">
              <DataTable
                label="Webhook deliveries"
                rows={deliveries}
                columns={DELIVERY_COLUMNS}
                isOpening
                empty={<Text size="sm">No deliveries.</Text>}
              />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <Section title="Input">
              <Input generation={generation} />
              <Origin view={view} />
            </Section>
            <Section title="Timeline">
              <GenerationTimeline entries={timeline} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={12}>
          <Section title="JSON">
            <CodeBlock
              code={JSON.stringify(generation, undefined, 2)}
              label="The generation as the API returns it"
            />
          </Section>
        </Grid.Col>
      </Grid>
    </>
  );
}

function Origin({ view: { generation, key_id: keyId, key_name: keyName } }: { view: View }) {
  const { to, may } = useScope();
  return (
    <Text size="sm" c="dimmed" mt="md">
      {keyId ? (
        <>
          Created with the API key{" "}
          <TextLink to={to(`generations?key=${keyId}`)}>{keyName || keyId}</TextLink>
          {may("listRequestLog") && (
            <>
              {" by "}
              <TextLink to={to(`requests?request_id=${generation.id}`)}>this request</TextLink>
            </>
          )}
        </>
      ) : (
        "Created in the playground."
      )}
    </Text>
  );
}
