/** The page of one generation: output or error, input, timeline, Tokens and webhook deliveries. */
import { Anchor, Button, Card, Grid, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { RotateCcw, Trash2 } from "lucide-react";
import { Link, useNavigate, useParams } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { useListQuery } from "../../data/url-query.ts";
import { isFinished, isVideo } from "../../data/generation.ts";
import { useGeneration } from "../../data/queries.ts";
import { CodeBlock, CopyText, StatusBadge } from "../../components/texts.tsx";
import { DeliveryTable } from "../../components/delivery-table.tsx";
import { GenerationOutcome } from "../../components/generation-outcome.tsx";
import { Missing, QueryResult } from "../../components/states.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { TransactionTable } from "../../components/transaction-table.tsx";
import { useNotice, useScope } from "../../data/scope.ts";
import { Input } from "./input.tsx";
import { GenerationTimeline } from "./timeline.tsx";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { useDeleteOne, useForget } from "./use-bulk.ts";

export default function Generation() {
  const { id = "" } = useParams();
  const view = useGeneration(id);
  return (
    <QueryResult
      query={view}
      loading={<Skeleton height={420} radius="lg" />}
      missing={
        <Missing title="No such generation" page="generations" pageName="the generations">
          It was deleted, or it belongs to the other mode or another account.
        </Missing>
      }
    >
      {(data) => <GenerationDetails view={data} />}
    </QueryResult>
  );
}

function GenerationDetails({ view }: { view: Schemas["GenerationView"] }) {
  const { to, may } = useScope();
  const listQuery = useListQuery();
  const { generation, key_id: keyId, key_name: keyName, timeline, transactions, deliveries } = view;
  return (
    <>
      <PageHead
        title={isVideo(generation) ? "Video" : "Image"}
        parent={{ to: `${to("generations")}${listQuery}`, label: "Generations" }}
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
              <DeleteGeneration id={generation.id} kind={isVideo(generation) ? "video" : "image"} />
            )}
          </>
        }
      >
        <Group gap={6} component="span">
          <span className="mono">{generation.id}</span>
          <CopyText value={generation.id} label="Copy the id" />
          <StatusBadge status={generation.status} />
        </Group>
      </PageHead>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="lg">
            <Card component="section" aria-label="Output">
              <GenerationOutcome generation={generation} />
            </Card>
            <Section id="tokens" title="Tokens">
              <TransactionTable
                transactions={transactions}
                label="Tokens of this generation"
                isShort
              />
            </Section>
            <Section id="deliveries" title="Webhook deliveries">
              <DeliveryTable deliveries={deliveries} label="Webhook deliveries" isShort />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <Section id="input" title="Input">
              <Input generation={generation} />
              <Text size="sm" c="dimmed" mt="md">
                {keyId ? (
                  <>
                    Created with the API key{" "}
                    <Anchor
                      component={Link}
                      to={to(`generations?key=${keyId}`)}
                      underline="always"
                      inherit
                    >
                      {keyName ?? keyId}
                    </Anchor>
                    {may("listRequestLog") && (
                      <>
                        {" by "}
                        <Anchor
                          component={Link}
                          to={to(`requests?id=${generation.id}`)}
                          underline="always"
                          inherit
                        >
                          this request
                        </Anchor>
                      </>
                    )}
                  </>
                ) : (
                  "Created in the playground."
                )}
              </Text>
            </Section>
            <Section id="timeline" title="Timeline">
              <GenerationTimeline entries={timeline} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={12}>
          <Section id="json" title="JSON">
            <CodeBlock
              code={JSON.stringify(generation, undefined, 2)}
              label="The generation as the API answers it"
            />
          </Section>
        </Grid.Col>
      </Grid>
    </>
  );
}

type SectionProps = { id: string; title: string; children: React.ReactNode };

function Section({ id, title, children }: SectionProps) {
  return (
    <Card component="section" aria-labelledby={id}>
      <Title order={2} id={id} fz={16} mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}

function DeleteGeneration({ id, kind }: { id: string; kind: "video" | "image" }) {
  const { to } = useScope();
  const [isConfirming, confirming] = useDisclosure(false);
  const navigate = useNavigate();
  const listQuery = useListQuery();
  const say = useNotice();
  const deleteOne = useDeleteOne();
  const forget = useForget();
  const remove = useMutation({
    mutationFn: () => deleteOne(id),
    onSuccess: async () => {
      await navigate(`${to("generations")}${listQuery}`, { replace: true });
      say("1 generation deleted");
      await forget([id]);
    },
  });
  return (
    <>
      <Button
        variant="default"
        c="var(--mantine-color-error)"
        leftSection={<Trash2 size={15} aria-hidden />}
        onClick={confirming.open}
      >
        Delete
      </Button>
      {isConfirming && (
        <ConfirmDialog
          isOpen
          title={`Delete this ${kind}?`}
          action="Delete"
          isPending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={confirming.close}
        >
          Its files, its input and its webhooks are deleted within a minute, and its URLs stop
          working. Its id and its transactions stay. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
