/** The standard input and output in place of a file: `-`. */
import { UsageError } from "./cli-errors.ts";

export const STDIN = "-";
export const STDOUT = "-";

/** What a command reads and writes beside its lines. */
export type StandardStreams = {
  stdin?:
    | (AsyncIterable<Uint8Array | string> & { isTTY?: boolean; destroy?: () => unknown })
    | undefined;
  /** Writes bytes of a result. */
  write: (bytes: Uint8Array) => void;
};

/** All of the standard input; `what` says what should be there. Throws UsageError where there is nothing. */
export async function readStdin(
  { stdin }: Pick<StandardStreams, "stdin">,
  what: string,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin ?? []) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) throw new UsageError(`The standard input has no ${what}.`);
  return bytes;
}
