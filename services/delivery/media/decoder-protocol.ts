/** What a decoding process and its parent say to each other. */

/** `header`: size and duration from the container. `thumbnail`: a JPEG of a frame. */
export type DecoderTask = "header" | "thumbnail";

/** To the process: a video of this length. After that only what `read` asks for, in its order; nothing: unreadable. */
export type VideoMessage = { bytes: number };

/** From the process: it wants the bytes from `start` to `end`, or has ended with the video. */
export type DecoderMessage = { read: { start: number; end: number } } | VideoResult;

export type VideoResult = {
  header?: VideoHeader;
  /** Why there is no header. */
  damaged?: string;
  /** Base64. */
  jpeg?: string;
  /** The processor time that the process has used since it began. */
  cpuMs: number;
};

export type VideoHeader = {
  /** Pixels as displayed. */
  width: number;
  height: number;
  durationSeconds: number;
};

/** What the parser may ask for at once: the index of a video of several hours has this length. */
export const MAX_READ_BYTES = 32 * 1024 * 1024;
/** The longest message of the process: a thumbnail. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
