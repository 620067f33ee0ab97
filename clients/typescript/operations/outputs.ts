/** Reads the files of generations. */
import type { CallOptions, Connection } from "../http/connection.ts";
import { errorOf } from "../http/errors.ts";
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

export function outputs({ sending }: Connection): Outputs {
  const open = async ({ url }: Output, options?: CallOptions): Promise<Response> => {
    // The URL is the permission, and may be of another host: it gets no API key.
    const { fetch, headers } = sending(options, { isStreamed: true });
    const response = await fetch(new Request(url, { headers }));
    if (response.ok) return response;
    throw errorOf(response, await response.json().catch(() => undefined));
  };
  const save = async (output: Output, path: string, options?: CallOptions): Promise<void> => {
    await checkPath(path);
    const { body } = await open(output, options);
    const content = (body ?? new Blob([]).stream()) as unknown as AsyncIterable<Uint8Array>;
    await saveBody(content, path, { bytes: output.bytes, signal: options?.signal });
  };
  const download = (output: Output, pathOrOptions?: string | CallOptions, options?: CallOptions) =>
    typeof pathOrOptions === "string"
      ? save(output, pathOrOptions, options)
      : open(output, pathOrOptions);
  return { download: download as Download };
}
