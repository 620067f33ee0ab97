/** The client of the public API: a function for each operation, and functions that wait and download. */
import { checkOptions } from "./http/arguments.ts";
import { openConnection, type ClientOptions } from "./http/connection.ts";
import { CLIENT_OPTIONS } from "./http/option-checks.ts";
import { accountFunctions, type AccountFunctions } from "./operations/account.ts";
import { checked } from "./operations/arguments.ts";
import { deliveryFunctions, type DeliveryFunctions } from "./operations/deliveries.ts";
import { fileFunctions, type FileFunctions } from "./operations/files.ts";
import { imageFunctions, type ImageFunctions } from "./operations/images.ts";
import { outputFunctions, type OutputFunctions } from "./operations/outputs.ts";
import { videoFunctions, type VideoFunctions } from "./operations/videos.ts";
import { watchFunctions, type WatchFunctions } from "./operations/watches.ts";

/** Every function throws ApiError, ConnectionError, the reason of an aborted signal, or ArgumentError. */
export interface Client
  extends
    VideoFunctions,
    ImageFunctions,
    FileFunctions,
    OutputFunctions,
    AccountFunctions,
    DeliveryFunctions,
    WatchFunctions {}

/**
 * Throws ArgumentError for an option that is not known or has a wrong value, and where neither the options nor the
 * environment have the URL and the key.
 */
export function createClient(options: ClientOptions = {}): Client {
  checkOptions("createClient", options, CLIENT_OPTIONS);
  const connection = openConnection(options);
  return {
    ...checked({
      ...videoFunctions(connection),
      ...imageFunctions(connection),
      ...fileFunctions(connection),
      ...outputFunctions(connection),
      ...accountFunctions(connection),
      ...deliveryFunctions(connection),
    }),
    ...watchFunctions(connection),
  };
}
