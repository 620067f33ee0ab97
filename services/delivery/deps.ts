/** What delivery's handlers need. */
import type { Client } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres.ts";
import type { FetchPicture } from "./assets/fetch-picture.ts";
import type { CopyOutput } from "./copy/copy-output.ts";

export type Deps = {
  sql: Sql;
  clock: Clock;
  newId: NewId;
  log: Log;
  generation: Client<typeof GenerationService>;
  copyOutput: CopyOutput;
  fetchPicture: FetchPicture;
  /** What a storage key is appended to, after a slash, in the bodies of webhooks. */
  assetBaseUrl: string;
  /** A delivery is due: look now. */
  ringSender: () => void;
};
