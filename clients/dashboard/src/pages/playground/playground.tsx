/** Trying the models by hand: a form made from the catalog, what comes of it, and the same as code. */
import { Card, Grid, Skeleton, Stack } from "@mantine/core";
import { Ban } from "lucide-react";
import { useState } from "react";
import { useLocation } from "react-router";
import type { Generation, Model } from "../../api/client.ts";
import { useModels } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { Shown } from "../../components/value-format.tsx";
import { usePlace } from "../../session/scope.ts";
import { AsCode } from "./as-code.tsx";
import { Fields } from "./fields.tsx";
import { ModelSelect } from "./model-select.tsx";
import { Result } from "./result.tsx";
import { SubmitRow } from "./submit-row.tsx";
import { useSubmit } from "./use-submit.ts";
import { fitted, imageBody, startingValues, videoBody } from "./values.ts";

export default function Playground() {
  const models = useModels();
  const { scope } = usePlace();
  return (
    <>
      <PageHead title="Playground">
        Try a model at the price of the API. Nothing is sent before you press the button.
      </PageHead>
      <Shown query={models} loading={<Skeleton height={420} radius="lg" />}>
        {(data) => <Bench key={scope.join()} models={data} />}
      </Shown>
    </>
  );
}

function Bench({ models }: { models: Model[] }) {
  const location = useLocation();
  const input = (location.state as { input?: Generation["input"] } | null)?.input;
  const first =
    models.find(({ id }) => id === input?.model) ??
    models.find(({ availability }) => availability === "available") ??
    models[0];
  if (!first) {
    return <Empty icon={Ban} title="The catalog is empty" />;
  }
  return <Form models={models} first={first} input={input} />;
}

type FormProps = { models: Model[]; first: Model; input: Generation["input"] | undefined };

function Form({ models, first, input }: FormProps) {
  const { mode } = usePlace();
  const [modelId, setModelId] = useState(first.id);
  const [values, setValues] = useState(() => startingValues(first, input));
  const model = models.find(({ id }) => id === modelId) ?? first;
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
              submit.mutate(request);
            }}
          >
            <Stack>
              <ModelSelect
                models={models}
                value={model.id}
                onChange={(chosen) => {
                  setModelId(chosen.id);
                  setValues((kept) => fitted(kept, chosen));
                }}
              />
              <Fields
                model={model}
                values={values}
                onChange={(change) => setValues((kept) => ({ ...kept, ...change }))}
              />
              <SubmitRow model={model} values={values} submit={submit} />
            </Stack>
          </form>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack gap="lg">
          <Result submit={submit} />
          <AsCode request={request} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
