/** What is wrong with a media file. */

/**
 * - `unknown_type`: the bytes are of no type that we store
 * - `truncated`: the file ends before its own structure says
 * - `damaged`: the structure contradicts itself or holds no picture
 */
export type MediaFault = "unknown_type" | "truncated" | "damaged";

export class MediaError extends Error {
  override name = "MediaError";
  readonly fault: MediaFault;
  constructor(fault: MediaFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
