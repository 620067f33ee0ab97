/** The playground: a request form built from the catalog, its result, the request as code, and earlier runs. */
import { Card, Grid, Skeleton, Stack } from "@mantine/core";
import { Ban } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import type { Generation, Model } from "../../api/client.ts";
import { useModels } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useScope } from "../../data/scope.ts";
import { CodeSamples } from "./code-samples.tsx";
import { useDraft } from "./draft.ts";
import { RequestForm } from "./request-form.tsx";
import { Result } from "./result.tsx";
import { Runs } from "./runs.tsx";
import { useShownRun } from "./shown-run.ts";
import { useSubmit } from "./use-submit.ts";
import { useFileDropGuard } from "./use-file-drop-guard.ts";
import { requestOf } from "./form-values.ts";

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
