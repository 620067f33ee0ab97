/** Shows the catalog and the Tokens, and sends files. */
import { inMoney } from "../money.ts";
import { checkReadable } from "./create-request.ts";
import { modelLine } from "./create.ts";
import { resolveFromCaller } from "./environment.ts";
import { show } from "./get.ts";
import { tokensText } from "./progress-display.ts";
import type { Run } from "./run.ts";

export async function models(run: Run, id: string | undefined): Promise<void> {
  const { client, signal, print, json } = run;
  if (id !== undefined) {
    show(run, await client.retrieveModel(id, { signal }));
    return;
  }
  for (const model of await client.listModels({ signal })) {
    print(json ? JSON.stringify(model) : modelLine(model));
  }
}

export async function balance({ client, signal, print, json }: Run): Promise<void> {
  const found = await client.retrieveBalance({ signal });
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

/** Throws UsageError where the file cannot be read. */
export async function upload(
  { client, signal, print, json, env, screen }: Run,
  file: string,
): Promise<void> {
  const path = resolveFromCaller(file, env);
  await checkReadable(path);
  const stored = await client.createFile({ path }, { signal });
  const { id, url, width, height } = stored;
  if (!json) screen.line(`${id}, ${width} × ${height}; deleted after 24 hours if nothing uses it:`);
  print(json ? JSON.stringify(stored) : url);
}
