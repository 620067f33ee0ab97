/** The client of the public API: for each kind of object the functions of it, and the download of files. */
import { checkOptions } from "./http/arguments.ts";
import { openConnection, type ClientOptions } from "./http/connection.ts";
import { CLIENT_OPTIONS } from "./http/option-checks.ts";
import { checked, checkedDownload } from "./operations/arguments.ts";
import { olderNames, type OlderNames } from "./operations/older-names.ts";
import { outputs, type Outputs } from "./operations/outputs.ts";
import { resources, type Resources } from "./operations/resources.ts";

/**
 * Every function throws a MediaError, or the reason of an aborted signal. It is one of these: ApiError, an error response, by its type
 * an InvalidRequestError, AuthenticationError, BillingError, PermissionError, NotFoundError, ConflictError, IdempotencyError,
 * RateLimitError, GenerationError or ServiceError; ConnectionError, no response, TimeoutError among them; ArgumentError, nothing was
 * sent. A wait also throws WaitStoppedError and GenerationCanceledError.
 */
export interface Client extends Resources, Outputs, OlderNames {}

/**
 * Throws ArgumentError for an option that is not known or has a wrong value, and where neither the options nor the
 * environment have the URL and the key.
 */
export function createClient(options: ClientOptions = {}): Client {
  checkOptions("createClient", options, CLIENT_OPTIONS);
  const connection = openConnection(options);
  const all = checked(resources(connection));
  const { download } = outputs(connection);
  return { ...all, download: checkedDownload(download), ...olderNames(all) };
}
