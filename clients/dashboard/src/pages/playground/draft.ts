/** The playground's form as the user left it: one for each account, whatever the mode. */
import type { Generation, Model } from "../../api/client.ts";
import { keep, useKept } from "../../session/kept.ts";
import { useScope } from "../../data/scope.ts";
import { EMPTY, initialValues, type FormValues } from "./form-values.ts";

export type Draft = {
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
export function useDraft(models: readonly [Model, ...Model[]]): Draft {
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
