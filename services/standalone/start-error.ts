/** A start that cannot go on, said in one sentence to the person who asked for it. */
export class StartError extends Error {
  override name = "StartError";
}
