/** What delivery's handlers need. */
import type { Client } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { AllowAddress } from "#runtime/address.ts";
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { FetchPicture } from "./download/fetch-picture.ts";
import type { CopyOutput } from "./copy/copy-output.ts";
import type { SecretBox } from "./webhook/secret-box.ts";

export type Deps = {
  sql: Sql;
  clock: Clock;
  newId: NewId;
  log: Log;
  generation: Client<typeof GenerationService>;
  copyOutput: CopyOutput;
  /** Encrypts signing secrets. */
  secretBox: SecretBox;
  /** Addresses that webhooks may go to although they are not public. */
  allowAddress: AllowAddress;
  fetchPicture: FetchPicture;
  /** What a storage key is appended to, after a slash, in the bodies of webhooks. */
  assetBaseUrl: string;
  /** A delivery is due: look now. */
  ringSender: () => void;
};
