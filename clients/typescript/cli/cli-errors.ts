/** What can go wrong on this side of the service. */

/** The person at the command line can put it right there. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The generation is fine and its file did not come or could not be written. */
export class SaveError extends Error {
  override readonly name = "SaveError";
}
