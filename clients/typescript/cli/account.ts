/** Shows the catalog and the Tokens, and sends files. */
import { InvalidRequestError } from "../index.ts";
import { inMoney } from "../money.ts";
import { UsageError } from "./cli-errors.ts";
import type { ModelsOptions } from "./commands.ts";
import { checkReadable } from "./create-request.ts";
import { modelText } from "./details.ts";
import { resolveFromCaller } from "./environment.ts";
import { show } from "./get.ts";
import { linesOf, modelLines, noModelText } from "./model-text.ts";
import { tokensText } from "./progress-display.ts";
import type { Run } from "./run.ts";
import { readStdin, STDIN } from "./standard-streams.ts";

/** Throws UsageError, which says which may be meant, for a model that is not in the catalog. */
export async function models(
  run: Run,
  id: string | undefined,
  { kind }: ModelsOptions,
): Promise<void> {
  const { client, signal, print, json } = run;
  const found = await client.models.list({ signal });
  if (id !== undefined) {
    const model = found.find((each) => each.id === id);
    if (!model) throw new UsageError(`${noModelText(id, found)}\n${linesOf(found)}`);
    show(run, model, modelText);
    return;
  }
  const ofKind = found.filter((model) => kind === undefined || model.kind === kind);
  for (const line of json ? ofKind.map((model) => JSON.stringify(model)) : modelLines(ofKind))
    print(line);
}

export async function balance({ client, signal, print, json }: Run): Promise<void> {
  const found = await client.balance.retrieve({ signal });
  if (json) {
    print(JSON.stringify(found));
    return;
  }
  const { mode, available, reserved, token_price: price, limits } = found;
  const money = price ? ` (about ${inMoney(available, price)})` : "";
  print(
    `${mode} mode: ${tokensText(available)} available${money}, ${tokensText(reserved)} reserved`,
  );
  for (const { period, tokens, used } of limits) {
    print(`limit of a ${period}: ${tokensText(used)} of ${tokensText(tokens)} used`);
  }
}

/** Throws UsageError where the file cannot be read, or is empty. */
export async function upload(run: Run, file: string): Promise<void> {
  const { client, signal, print, json, env, screen } = run;
  const path = resolveFromCaller(file, env);
  if (file !== STDIN) await checkReadable(path);
  const picture = file === STDIN ? await readStdin(run, "picture") : { path };
  const sending = client.files.create(picture, { signal });
  const stored = await sending.catch((error: unknown) => {
    if (error instanceof InvalidRequestError) error.message = `${file}: ${error.message}`;
    throw error;
  });
  const { id, url, width, height } = stored;
  if (!json) screen.line(`${id}, ${width} × ${height}; deleted after 24 hours if nothing uses it:`);
  print(json ? JSON.stringify(stored) : url);
}
