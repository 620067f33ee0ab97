/** The client of the public API: for each kind of object the functions of it, and the download of files. */
import { openConnection, type ClientOptions } from "./http/connection.ts";
import { account, type Account } from "./operations/account.ts";
import { files, type Files } from "./operations/files.ts";
import { images, videos, type Images, type Videos } from "./operations/generations.ts";
import { outputs, type Outputs } from "./operations/outputs.ts";

/**
 * Every function throws a MediaError, or the reason of an aborted signal. It is one of these: ApiError, an error response, by its type
 * an InvalidRequestError, AuthenticationError, BillingError, PermissionError, NotFoundError, ConflictError, IdempotencyError,
 * RateLimitError, GenerationError or ServiceError; ConnectionError, no response, TimeoutError among them; ArgumentError, nothing was
 * sent. A wait also throws WaitStoppedError and GenerationCanceledError.
 */
export interface Client extends Account, Outputs {
  videos: Videos;
  images: Images;
  files: Files;
}

/** Throws ArgumentError where neither the options nor the environment have the URL and the key, or they cannot be right. */
export function createClient(options: ClientOptions = {}): Client {
  const connection = openConnection(options);
  return {
    videos: videos(connection),
    images: images(connection),
    files: files(connection),
    ...account(connection),
    ...outputs(connection),
  };
}
