/** The playground: a request form built from the catalog, its result, the request as code, and earlier runs. */
import { Card, Grid, Skeleton, Stack, UnstyledButton } from "@mantine/core";
import { getHotkeyHandler } from "@mantine/hooks";
import { Ban, History } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import type { Generation, Model } from "../../api/client.ts";
import { Refusal } from "../../api/refusal.ts";
import { RefusalContext, useRefusedField } from "../../components/form/form.tsx";
import { DataList } from "../../components/data-table.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { GenerationTiles } from "../../components/generation-tiles.tsx";
import { PageHead, Section } from "../../components/page-head.tsx";
import { SampleTabs } from "../../components/sample-tabs.tsx";
import { Empty, QueryResult, RowsLoading } from "../../components/states.tsx";
import { useGenerations, useModels, useMoney } from "../../data/queries.ts";
import { createRequest } from "../../data/samples.ts";
import { useScope } from "../../data/scope.ts";
import { tokens } from "../../data/value-format.ts";
import { keep, useKept } from "../../session/kept.ts";
import { Fields } from "./fields.tsx";
import {
  asksFirst,
  fitToModel,
  type FormValues,
  requestOf,
  tokenPrice,
  valuesOf,
} from "./form-values.ts";
import { ModelSelect } from "./model-select.tsx";
import { Result } from "./result.tsx";
import { SubmitRow, useSubmit } from "./submit.tsx";

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
        {({ data: [first, ...others] }) =>
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
  const { account, mode } = useScope();
  const draft = useDraft(models);
  const submit = useSubmit();
  const form = useRef<HTMLFormElement>(null);
  const button = () => form.current?.querySelector<HTMLElement>("[type=submit]");
  const result = useRef<HTMLElement>(null);
  // The field that was refused says why itself.
  const answered = useRefusedField(form, submit.error) ? { ...submit, error: null } : submit;
  const { model } = draft;
  const values = fitToModel(draft.values, model);
  const kept = draft.values.image_urls?.slice(model.max_reference_images) ?? [];
  const request = requestOf(values, model, mode);
  const price = tokenPrice(values, model, mode);
  const inMoney = useMoney()(price);
  const [isAsking, setAsking] = useState(false);
  const send = () => {
    if (submit.press(request)) comeIntoView(result.current);
  };
  useLinked(models, draft);
  const change = (chosen: Model, entered: FormValues) => {
    // What is wrong with the input; any other fault stays, with its Request-Id.
    if (submit.error instanceof Refusal && submit.error.param) submit.forgetError();
    draft.set(chosen, entered);
  };
  return (
    <Grid gap="lg">
      {isAsking && (
        <FormDialog
          onClose={() => setAsking(false)}
          title={`Generate for ${tokens(price ?? 0)} Tokens?`}
          text={`${model.id}, in live mode${inMoney ? `: ${inMoney}` : ""}. This account asks above ${tokens(account.confirm_above_tokens ?? 0)} Tokens.`}
          action="Generate"
          run={async () => send()}
        />
      )}
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Card component="section" aria-label="Request">
          <form
            ref={form}
            onSubmit={(event) => {
              event.preventDefault();
              if (asksFirst(price, account, mode)) setAsking(true);
              else send();
            }}
            onKeyDown={getHotkeyHandler([["mod+Enter", () => button()?.click()]])}
          >
            <Stack>
              <ModelSelect
                models={models}
                value={model.id}
                onChange={(chosen) => change(chosen, draft.values)}
              />
              <RefusalContext value={submit.error}>
                <Fields
                  model={model}
                  values={values}
                  onChange={({ image_urls: urls, ...others }) =>
                    change(model, {
                      ...draft.values,
                      ...others,
                      // What this model does not take stays for one that does.
                      ...(urls && { image_urls: [...urls, ...kept] }),
                    })
                  }
                />
              </RefusalContext>
              <SubmitRow model={model} values={values} price={price} submit={submit} />
            </Stack>
          </form>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Stack gap="lg">
          <Result ref={result} id={submit.shownId} submit={answered} />
          <Section title="This request as code">
            <SampleTabs request={createRequest(requestOf(values, model, mode, true))} />
          </Section>
        </Stack>
      </Grid.Col>
      <Grid.Col span={12}>
        <Runs
          shownId={submit.shownId}
          onShow={(id) => {
            submit.show(id);
            comeIntoView(result.current);
          }}
        />
      </Grid.Col>
    </Grid>
  );
}

/** Loads the input that another page has sent along, or the model that the address names, once: a reload must not undo what was changed since. */
function useLinked(models: readonly Model[], draft: ReturnType<typeof useDraft>): void {
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const state = useLocation().state as { input?: Generation["input"] } | null;
  const take = useEffectEvent(() => {
    const input = state?.input;
    const linked = models.find(({ id }) => id === (input?.model ?? query.get("model")));
    if (!input && !linked) return;
    draft.set(linked ?? draft.model, input ? valuesOf(input) : draft.values);
    void navigate({ search: "" }, { replace: true, state: null });
  });
  useEffect(() => take(), [state, query]);
}

/** Scrolls to a part of the page, unless it can be seen already. */
function comeIntoView(element: HTMLElement | null): void {
  const top = element?.getBoundingClientRect().top ?? 0;
  const isInView = top >= 0 && top < globalThis.innerHeight * LOWEST_SHARE;
  if (!isInView) element?.scrollIntoView();
}

function useDraft(models: readonly [Model, ...Model[]]) {
  const { account, user } = useScope();
  const name = `${user.id} ${account.id} playground`;
  const kept = useKept<{ modelId: string; values: FormValues }>(name);
  const model =
    models.find(({ id }) => id === kept?.modelId) ??
    models.find(({ availability }) => availability === "available") ??
    models[0];
  return {
    model,
    /** As entered: also what the chosen model does not accept, for the next model. */
    values: kept?.values ?? {},
    set: ({ id }: Model, values: FormValues) => keep(name, { modelId: id, values }),
  };
}

type RunsProps = { shownId: string | undefined; onShow: (id: string) => void };

function Runs({ shownId, onShow }: RunsProps) {
  const runs = useGenerations({ key: "none" }, { limit: 12 });
  return (
    <Section title="Runs" note="What this account has generated in the playground.">
      <DataList
        list={runs}
        loading={<RowsLoading rows={2} height={150} />}
        more="Show earlier runs"
        empty={<Empty icon={History} title="No runs yet" />}
      >
        {(all) => (
          <GenerationTiles
            generations={all}
            isMarked={(id) => id === shownId}
            opener={({ id, input }, content) => (
              <UnstyledButton
                onClick={() => onShow(id)}
                aria-label={`Show the run: ${input.prompt}`}
              >
                {content}
              </UnstyledButton>
            )}
          />
        )}
      </DataList>
    </Section>
  );
}
