/** The error for media files that cannot be stored. */

/**
 * - `unknown_type`: not one of the stored types
 * - `truncated`: the file is shorter than its structure says
 * - `damaged`: the structure is inconsistent or has no picture
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
