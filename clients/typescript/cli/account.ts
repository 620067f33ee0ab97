/** Shows the catalog and the Tokens, and sends files. */
import { InvalidRequestError } from "../index.ts";
import { inMoney } from "../money.ts";
import type { ModelsOptions } from "./commands.ts";
import { checkReadable } from "./create-request.ts";
import { modelLines, modelText } from "./details.ts";
import { resolveFromCaller } from "./environment.ts";
import { show } from "./get.ts";
import { tokensText } from "./progress-display.ts";
import type { Run } from "./run.ts";
import { readStdin, STDIN } from "./standard-streams.ts";

export async function models(
  run: Run,
  id: string | undefined,
  { kind }: ModelsOptions,
): Promise<void> {
  const { client, signal, print, json } = run;
  if (id !== undefined) {
    show(run, await client.models.retrieve(id, { signal }), modelText);
    return;
  }
  const found = await client.models.list({ signal });
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
