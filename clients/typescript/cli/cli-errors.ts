/** Errors of the command line itself, not of the service. */

/** The command is wrong; the user can correct it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The generation succeeded, but its file could not be downloaded or written. */
export class SaveError extends Error {
  override readonly name = "SaveError";
}
