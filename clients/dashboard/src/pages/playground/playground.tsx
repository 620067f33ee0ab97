/** The playground: a request form built from the catalog, its result, the request as code, and earlier runs. */
import { Card, Grid, Skeleton, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { Ban, History } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useRef } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import type { Generation, Model } from "../../api/client.ts";
import { useGenerations, useModels } from "../../data/queries.ts";
import { DataList, Empty, QueryResult, RowsLoading } from "../../components/states.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { useScope } from "../../data/scope.ts";
import { Result } from "./result.tsx";
import { useShownRun } from "./shown-run.ts";
import { type Submit, useSubmit } from "./use-submit.ts";
import {
  EMPTY,
  fitToModel,
  type FormValues,
  initialValues,
  type Request,
  requestOf,
} from "./form-values.ts";
import { SampleTabs } from "../../components/sample-tabs.tsx";
import { createRequest } from "../../data/samples.ts";
import { Form } from "../../components/form/form.tsx";
import { Fields } from "./fields.tsx";
import { ModelSelect } from "./model-select.tsx";
import { SubmitRow } from "./submit-row.tsx";
import { keep, useKept } from "../../session/kept.ts";
import { RelativeTime, StatusBadge } from "../../components/texts.tsx";
import { Thumbnail } from "../../components/thumbnail.tsx";
import classes from "./playground.module.css";

/** Below this share of the window a part counts as out of view. */
const LOWEST_SHARE = 0.6;

export default function Playground() {
  const models = useModels();
  return (
    <>
      <PageHead title="Playground">
        Try a model at the API's price. Nothing is sent until you press Generate.
      </PageHead>
      <QueryResult query={models} loading={<Skeleton height={420} radius="lg" />}>
        {([first, ...others]) =>
          first ? (
            <PlaygroundContent models={[first, ...others]} />
          ) : (
            <Empty icon={Ban} title="The catalog is empty" />
          )
        }
      </QueryResult>
    </>
  );
}

function PlaygroundContent({ models }: { models: readonly [Model, ...Model[]] }) {
  const { mode } = useScope();
  const draft = useDraft(models);
  const [shownId, show] = useShownRun();
  const submit = useSubmit();
  const result = useRef<HTMLElement>(null);
  const request = requestOf(draft.values, draft.model, mode);
  useLinkedInput(draft.load);
  useLinkedModel(models, draft.chooseModel);
  useFileDropGuard();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Card component="section" aria-label="Request">
          <RequestForm
            models={models}
            draft={draft}
            submit={submit}
            onSubmit={() => {
              if (submit.press(request)) comeIntoView(result.current);
            }}
          />
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack gap="lg">
          <Result ref={result} id={shownId} submit={submit} />
          <CodeSamples request={request} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={12}>
        <Runs
          shownId={shownId}
          onShow={(id) => {
            submit.clear();
            show(id);
            comeIntoView(result.current);
          }}
        />
      </Grid.Col>
    </Grid>
  );
}

/** Loads the input that another page has sent along, once: a reload must not undo what was changed since. */
function useLinkedInput(load: (input: Generation["input"]) => void): void {
  const location = useLocation();
  const navigate = useNavigate();
  const input = (location.state as { input?: Generation["input"] } | null)?.input;
  const take = useEffectEvent((sent: Generation["input"]) => {
    load(sent);
    void navigate(".", { replace: true, state: null });
  });
  useEffect(() => {
    if (input !== undefined) take(input);
  }, [input]);
}

/** Chooses the model that the address names, once. */
function useLinkedModel(models: readonly Model[], choose: (model: Model) => void): void {
  const [query, setQuery] = useSearchParams();
  const linked = models.find(({ id }) => id === query.get("model"));
  const take = useEffectEvent((model: Model) => {
    choose(model);
    setQuery({}, { replace: true });
  });
  useEffect(() => {
    if (linked !== undefined) take(linked);
  }, [linked]);
}

/** Scrolls to a part of the page, unless it can be seen already. */
function comeIntoView(element: HTMLElement | null): void {
  if (!element) return;
  const { top } = element.getBoundingClientRect();
  const isInView = top >= 0 && top < globalThis.innerHeight * LOWEST_SHARE;
  if (!isInView) element.scrollIntoView({ block: "start" });
}

function CodeSamples({ request: { kind, body } }: { request: Request }) {
  return (
    <Card component="section" aria-labelledby="request-code">
      <Title order={2} id="request-code" fz={16} mb="xs">
        This request as code
      </Title>
      <SampleTabs request={createRequest(kind, body)} />
    </Card>
  );
}

function useFileDropGuard(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      // A field that takes the file has prevented it already.
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    globalThis.addEventListener("dragover", refuse);
    globalThis.addEventListener("drop", refuse);
    return () => {
      globalThis.removeEventListener("dragover", refuse);
      globalThis.removeEventListener("drop", refuse);
    };
  }, []);
}

type Props = {
  models: readonly Model[];
  draft: Draft;
  submit: Submit;
  onSubmit: () => void;
};

function RequestForm({ models, draft, submit, onSubmit }: Props) {
  const { model } = draft;
  const values = fitToModel(draft.values, model);
  const kept = draft.values.imageUrls.slice(model.max_reference_images);
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={submitOnCtrlEnter}
    >
      <Stack>
        <ModelSelect models={models} value={model.id} onChange={draft.chooseModel} />
        <Fields
          model={model}
          values={values}
          onChange={({ imageUrls, ...others }) =>
            draft.change({
              ...others,
              // What this model does not take stays for one that does.
              ...(imageUrls && { imageUrls: [...imageUrls, ...kept] }),
            })
          }
        />
        <SubmitRow model={model} values={values} submit={submit} />
      </Stack>
    </Form>
  );
}

function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

type Draft = {
  model: Model;
  /** The values as entered: also what the chosen model does not accept, for the next model. */
  values: FormValues;
  chooseModel: (model: Model) => void;
  change: (change: Partial<FormValues>) => void;
  /** Replaces the form by the input of an earlier generation. */
  load: (input: Generation["input"]) => void;
};

type Kept = { modelId: string; values: Partial<FormValues> };

/** `models` is not empty. */
function useDraft(models: readonly [Model, ...Model[]]): Draft {
  const { account, user } = useScope();
  const name = `${user.id} ${account.id} playground`;
  const kept = useKept<Kept>(name);
  const model =
    models.find(({ id }) => id === kept?.modelId) ??
    models.find(({ availability }) => availability === "available") ??
    models[0];
  const values = kept ? { ...EMPTY, ...kept.values } : initialValues(model);
  return {
    model,
    values,
    chooseModel: ({ id }) => keep(name, { modelId: id, values }),
    change: (change) => keep(name, { modelId: model.id, values: { ...values, ...change } }),
    load: (input) => {
      const chosen = models.find(({ id }) => id === input.model) ?? model;
      keep(name, { modelId: chosen.id, values: initialValues(chosen, input) });
    },
  };
}

const COUNT = 12;

type RunsProps = { shownId: string | undefined; onShow: (id: string) => void };

function Runs({ shownId, onShow }: RunsProps) {
  const runs = useGenerations({ key: "none" }, COUNT);
  return (
    <Card component="section" aria-labelledby="runs">
      <Title order={2} id="runs" fz={16}>
        Runs
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        What this account has generated in the playground.
      </Text>
      <DataList
        list={runs}
        loading={<RowsLoading rows={2} height={150} />}
        more="Show earlier runs"
        empty={
          <Empty icon={History} title="No runs yet">
            They stay here, also when you leave the page while one is running.
          </Empty>
        }
      >
        {(all) => (
          <ul className={classes.runs}>
            {all.map((run) => (
              <Run key={run.id} run={run} shownId={shownId} onShow={onShow} />
            ))}
          </ul>
        )}
      </DataList>
    </Card>
  );
}

function Run({ run, shownId, onShow }: RunsProps & { run: Generation }) {
  return (
    <li className={classes.run} data-shown={run.id === shownId || undefined}>
      <UnstyledButton
        onClick={() => onShow(run.id)}
        aria-label={`Show the run: ${run.input.prompt}`}
      >
        <Thumbnail generation={run} width="fill" />
        <Text size="sm" lineClamp={2} mt={6}>
          {run.input.prompt}
        </Text>
      </UnstyledButton>
      <Text size="xs" c="dimmed" truncate>
        {run.model} · <RelativeTime time={run.created_at} />
      </Text>
      <StatusBadge status={run.status} />
    </li>
  );
}
