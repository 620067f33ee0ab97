/** The reason why a start failed, as one sentence for the person who started it. */
export class StartError extends Error {
  override name = "StartError";
}
