/** Reads a form of multipart/form-data (RFC 7578) that is in memory: its parts are views of it, not copies. */
import { parametersOf } from "./header-value.ts";
import { Problem } from "./problem.ts";

/** A part is a file where its Content-Disposition has a filename. */
export type FormPart = { name: string; isFile: boolean; content: Uint8Array };

/** Nothing more is read of a form with longer headers of a part. */
const MAX_PART_HEADER_BYTES = 8 * 1024;
/** The limit of RFC 2046. */
const MAX_BOUNDARY_CHARACTERS = 70;

const LINE_END = "\r\n";
const HEADER_END = "\r\n\r\n";
const LAST = "--";

/** The bytes of a form whose parts nobody has looked at. */
export class RawForm {
  readonly contentType: string;
  readonly bytes: Buffer;
  constructor(contentType: string, bytes: Buffer) {
    this.contentType = contentType;
    this.bytes = bytes;
  }
}

/** `remedy` says what to do about a form with more parts; `param` is the only field, if there is only one. */
type FormLimit = { maxParts: number; remedy: string; param?: string };

/** Throws a problem where the bytes are not a form as their content type says, or beyond the limits of parts. */
export function formParts(
  { contentType, bytes }: RawForm,
  { maxParts, remedy, ...about }: FormLimit,
): FormPart[] {
  const parts = split(contentType, bytes, maxParts);
  if (Array.isArray(parts)) return parts;
  const message =
    parts === "too_large"
      ? `The form has more than ${maxParts} parts, or a part with more than ${MAX_PART_HEADER_BYTES} bytes of headers. ${remedy}`
      : parametersOf(contentType).has("boundary")
        ? "The body is not a form as its Content-Type says. Check what your client sends."
        : "The Content-Type of the form has no boundary. Let your client set that header.";
  throw new Problem("invalid_value", { message, ...about });
}

/** Undefined where the body is not a form as `contentType` says, `"too_large"` beyond the limits of parts. */
function split(
  contentType: string,
  body: Buffer,
  maxParts: number,
): FormPart[] | "too_large" | undefined {
  const boundary = parametersOf(contentType).get("boundary") ?? "";
  if (boundary === "" || boundary.length > MAX_BOUNDARY_CHARACTERS) return undefined;
  const delimiter = Buffer.from(`${LINE_END}--${boundary}`, "latin1");
  const isAt = (text: string, at: number) => body.toString("latin1", at, at + text.length) === text;
  const parts: FormPart[] = [];
  let at = afterFirst(delimiter, body);
  while (at !== undefined && !isAt(LAST, at)) {
    if (!isAt(LINE_END, at)) return undefined;
    if (parts.length === maxParts) return "too_large";
    const end = body.indexOf(delimiter, at);
    if (end === -1) return undefined;
    const part = body.subarray(at, end);
    const headerBytes = part.subarray(0, MAX_PART_HEADER_BYTES).indexOf(HEADER_END);
    if (headerBytes === -1) return part.length > MAX_PART_HEADER_BYTES ? "too_large" : undefined;
    const parameters = dispositionOf(part.toString("utf8", 0, headerBytes));
    const name = parameters.get("name");
    if (name === undefined) return undefined;
    const isFile = parameters.has("filename") || parameters.has("filename*");
    parts.push({ name, isFile, content: part.subarray(headerBytes + HEADER_END.length) });
    at = end + delimiter.length;
  }
  return at === undefined ? undefined : parts;
}

/** The end of the first delimiter, which needs no line before it. */
function afterFirst(delimiter: Buffer, body: Buffer): number | undefined {
  const first = delimiter.subarray(LINE_END.length);
  if (body.subarray(0, first.length).equals(first)) return first.length;
  const at = body.indexOf(delimiter);
  return at === -1 ? undefined : at + delimiter.length;
}

/** The parameters of the Content-Disposition among a part's header lines. */
function dispositionOf(header: string): Map<string, string> {
  const name = "content-disposition:";
  const line = header.split(LINE_END).find((one) => one.toLowerCase().startsWith(name));
  return parametersOf(line ?? "");
}
