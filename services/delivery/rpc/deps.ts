/** What delivery's handlers answer, and their dependencies. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { AllowAddress } from "#runtime/address.ts";
import type { Base } from "#runtime/service/service.ts";
import type { CopyOutput } from "../copy/copy-output.ts";
import type { FetchPicture } from "../download/fetch.ts";
import type { AssetWrites } from "../store/assets.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { MasterKeys } from "../webhook/signing-secrets.ts";

export type Rpcs = ServiceImpl<typeof DeliveryService>;

export type Deps = Pick<Base, "sql" | "clock" | "newId" | "log"> & {
  assets: AssetWrites;
  copyOutput: CopyOutput;
  /** Signing secrets are derived from them. */
  masterKeys: MasterKeys;
  /** Private addresses that webhooks may go to. */
  allowAddress: AllowAddress;
  fetchPicture: FetchPicture;
  store: ObjectStore;
  /** URLs in the bodies of webhooks are this, a slash and a storage key. */
  assetBaseUrl: string;
  /** Makes the sender claim due deliveries now instead of at its next poll. */
  wakeSender: () => void;
};
