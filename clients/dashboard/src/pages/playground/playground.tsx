/** The playground: a request form built from the catalog, its result, and the request as code. */
import { Card, Grid, Skeleton, Stack } from "@mantine/core";
import { Ban } from "lucide-react";
import { useState } from "react";
import { useLocation } from "react-router";
import type { Generation, Model } from "../../api/client.ts";
import { useModels } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useScope } from "../../session/scope.ts";
import { CodeSamples } from "./code-samples.tsx";
import { Fields } from "./fields.tsx";
import { ModelSelect } from "./model-select.tsx";
import { Result } from "./result.tsx";
import { SubmitRow } from "./submit-row.tsx";
import { useSubmit } from "./use-submit.ts";
import { fitToModel, imageBody, initialValues, videoBody } from "./form-values.ts";

export default function Playground() {
  const models = useModels();
  const { keyPrefix } = useScope();
  return (
    <>
      <PageHead title="Playground">
        Try a model at the API's price. Nothing is sent until you press Generate.
      </PageHead>
      <QueryResult query={models} loading={<Skeleton height={420} radius="lg" />}>
        {(data) => <PlaygroundContent key={keyPrefix.join()} models={data} />}
      </QueryResult>
    </>
  );
}

function PlaygroundContent({ models }: { models: Model[] }) {
  const location = useLocation();
  const input = (location.state as { input?: Generation["input"] } | null)?.input;
  const initialModel =
    models.find(({ id }) => id === input?.model) ??
    models.find(({ availability }) => availability === "available") ??
    models[0];
  if (!initialModel) {
    return <Empty icon={Ban} title="The catalog is empty" />;
  }
  return <RequestForm models={models} initialModel={initialModel} input={input} />;
}

type FormProps = { models: Model[]; initialModel: Model; input: Generation["input"] | undefined };

function RequestForm({ models, initialModel, input }: FormProps) {
  const { mode } = useScope();
  const [modelId, setModelId] = useState(initialModel.id);
  const [values, setValues] = useState(() => initialValues(initialModel, input));
  const model = models.find(({ id }) => id === modelId) ?? initialModel;
  const request =
    model.kind === "video"
      ? { kind: model.kind, body: videoBody(values, model, mode) }
      : { kind: model.kind, body: imageBody(values, model, mode) };
  const submit = useSubmit();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Card component="section" aria-label="Request">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              submit.press(request);
            }}
          >
            <Stack>
              <ModelSelect
                models={models}
                value={model.id}
                onChange={(chosen) => {
                  setModelId(chosen.id);
                  setValues((current) => fitToModel(current, chosen));
                }}
              />
              <Fields
                model={model}
                values={values}
                onChange={(change) => setValues((current) => ({ ...current, ...change }))}
              />
              <SubmitRow model={model} values={values} submit={submit} />
            </Stack>
          </form>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack gap="lg">
          <Result submit={submit} />
          <CodeSamples request={request} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
