/** Reads the files of generations. */
import type { CallOptions, Connection } from "../http/connection.ts";
import { ArgumentError } from "../http/errors.ts";
import { checkPath, saveBody } from "../http/file-system.ts";

type Output = { url: string; bytes?: number };

type Download = {
  /**
   * Resolves with the response of an output's URL as soon as it begins: its body streams the file. Throws a
   * NotFoundError `gone` if the file was deleted. The time limit ends when the response begins.
   */
  (output: Output, options?: CallOptions): Promise<Response>;
  /**
   * Saves the file to `path`, in place of one that is there; nothing is left of one that breaks off. Needs Node ≥ 20.16,
   * Deno or Bun. Throws ArgumentError where the path is a folder, or in none.
   */
  (output: Output, path: string, options?: CallOptions): Promise<void>;
};

export type Outputs = { download: Download };

export function outputs({ open }: Connection): Outputs {
  // The URL is the permission, and may be of another host: it gets no API key.
  const download = async (
    output: Output,
    pathOrOptions?: string | CallOptions,
    options?: CallOptions,
  ) => {
    const { url, bytes, output: all } = (output ?? {}) as Partial<Output> & { output?: unknown };
    const wanted = all ? "one output of the generation" : "an output";
    if (typeof url !== "string")
      throw new ArgumentError(`Give download ${wanted}, such as video.output[0].`);
    if (typeof pathOrOptions !== "string") return open(url, pathOrOptions);
    await checkPath(pathOrOptions);
    const { body } = await open(url, options);
    const content = (body ?? new Blob([]).stream()) as unknown as AsyncIterable<Uint8Array>;
    return saveBody(content, pathOrOptions, { bytes, signal: options?.signal });
  };
  return { download: download as Download };
}
