/** The command is wrong, in a way that its options alone do not tell. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
