/** What a command works with, and what several commands do. */
import { ArgumentError, type Client, type Image, type Video } from "../index.ts";
import type { Screen } from "./display.ts";

export type Run = {
  client: Client;
  apiKey: string;
  screen: Screen;
  /** Prints a line of the result. */
  print: (line: string) => void;
  /** Writes bytes of a result. */
  write: (bytes: Uint8Array) => void;
  stdin?:
    | (AsyncIterable<Uint8Array | string> & { isTTY?: boolean; destroy?: () => unknown })
    | undefined;
  /** The path that a path is which the user types. */
  pathOf: (typed: string) => string;
  /** What the user types to run this command line. */
  program: string;
  /** The service's URL where it was an option. */
  baseUrl?: string;
  /** Whether results are printed as JSON. */
  json?: boolean;
  signal: AbortSignal;
  /** Sets the text to show if the run is interrupted from now on, and the generation that it is about. */
  setHint: (hint: string, generationId?: string) => void;
};

export type Generation = Video | Image;

/** The standard input or output in place of a file. */
export const STANDARD = "-";

const POLL_MS = 1_000;

/** All of the standard input; `what` says what should be there. Throws ArgumentError where there is nothing. */
export async function readStdin({ stdin }: Run, what: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin ?? []) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) throw new ArgumentError(`The standard input has no ${what}.`);
  return bytes;
}

/** Prints an object for people, with --json as the API has it. */
export function show<T>({ print, json }: Run, value: T, textOf: (value: T) => string): void {
  print(json ? JSON.stringify(value) : textOf(value));
}

/** Shows the progress until the generation has ended. */
export function waitFor(
  { client, screen, signal }: Run,
  kind: "videos" | "images",
  id: string,
): Promise<Generation> {
  const onProgress = ({ status, progress }: Generation) => screen.progress(status, progress);
  return client[kind].wait(id, { onProgress, signal, pollMs: POLL_MS });
}

/** The command that waits for a generation again and saves it, quoted for a shell. */
export function getCommand({ program, baseUrl }: Run, id: string, out?: string): string {
  const rest = [
    "--wait",
    ...(out === undefined ? [] : ["--output", shellQuoted(out)]),
    ...(baseUrl === undefined ? [] : ["--base-url", shellQuoted(baseUrl)]),
  ];
  return [program, "get", id, ...rest].join(" ");
}

function shellQuoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
