/** Reads the files of generations. */
import type { CallOptions, Connection } from "../http/connection.ts";
import { errorOf } from "../http/errors.ts";

export type OutputFunctions = {
  /**
   * Resolves with the response of an output's URL as soon as it begins: its body streams the file. Throws a
   * NotFoundError `gone` if the file was deleted. The time limit ends when the response begins.
   */
  download: (output: { url: string }, options?: CallOptions) => Promise<Response>;
};

export function outputFunctions({ sending }: Connection): OutputFunctions {
  return {
    download: async ({ url }, options) => {
      // The URL is the permission, and may be of another host: it gets no API key.
      const { fetch, headers } = sending(options, { isStreamed: true });
      const response = await fetch(new Request(url, { headers }));
      if (response.ok) return response;
      throw errorOf(response, await response.json().catch(() => undefined));
    },
  };
}
