/** Reads the files of generations. */
import type { CallOptions, Connection } from "../http/connection.ts";
import { ArgumentError } from "../http/errors.ts";
import { checkPath, saveBody } from "../http/file-system.ts";

type Output = { url: string; bytes?: number };
/** A generation stands for its file, if it has exactly one. */
type Downloadable = Output | { output: readonly Output[] };

type Download = {
  /**
   * Resolves with the response of an output's URL as soon as it begins: its body streams the file. Throws a
   * NotFoundError `gone` if the file was deleted. The time limit ends when the response begins.
   */
  (output: Downloadable, options?: CallOptions): Promise<Response>;
  /**
   * Saves the file to `path`, in place of one that is there; nothing is left of one that breaks off. Needs Node ≥ 20.16,
   * Deno or Bun. Throws ArgumentError where the path is a folder, or in none.
   */
  (output: Downloadable, path: string, options?: CallOptions): Promise<void>;
};

export type Outputs = { download: Download };

export function outputs({ open }: Connection): Outputs {
  // The URL is the permission, and may be of another host: it gets no API key.
  const download = async (
    output: Downloadable,
    pathOrOptions?: string | CallOptions,
    options?: CallOptions,
  ) => {
    const { url, bytes } = fileOf(output);
    if (typeof pathOrOptions !== "string") return open(url, pathOrOptions);
    await checkPath(pathOrOptions);
    const { body } = await open(url, options);
    const content = (body ?? new Blob([]).stream()) as unknown as AsyncIterable<Uint8Array>;
    return saveBody(content, pathOrOptions, { bytes, signal: options?.signal });
  };
  return { download: download as Download };
}

function fileOf(given: Downloadable): Output {
  const { output = [given as Output] } = Object(given) as { output?: readonly Output[] };
  if (output.length === 1 && typeof output[0]?.url === "string") return output[0];
  throw new ArgumentError(
    output.length > 1
      ? `It has ${output.length} files: give download one of them, such as image.output[0].`
      : "Give download an output, such as video.output[0], or a generation that has exactly one file.",
  );
}
