/** The secrets of a data folder that services share; each is made at the first start. */
import { join } from "node:path";
import { readOrCreateSecret } from "./secret-file.ts";

export type Secrets = {
  /** The master key of the signing secrets of webhooks. */
  webhookKey: string;
  /** Signs the sessions of the dashboard. */
  auth: string;
  /** Signs the callback URLs given to upstreams. */
  callbacks: string;
  /** Signs job ids of the simulator. */
  simulator: string;
};

export async function openSecrets(dataDir: string): Promise<Secrets> {
  const secret = (name: string) => readOrCreateSecret(join(dataDir, "keys", name));
  return {
    webhookKey: await secret("webhook-secret-key"),
    auth: await secret("auth-secret"),
    callbacks: await secret("callbacks"),
    simulator: await secret("simulator-secret"),
  };
}
