/** Messages that caller and handler share within one process, which neither can change. */
import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";

/**
 * The message of `init`, frozen with all that it holds, so that a change of it throws. Bytes are the exception: they
 * cannot be frozen, and outputs of many megabytes are not copied for this.
 */
export function frozenMessage<T extends DescMessage>(
  schema: T,
  init: MessageInitShape<T>,
): MessageShape<T> {
  const message = create(schema, init);
  freeze(message);
  return message;
}

function freeze(value: object): void {
  if (Object.isFrozen(value) || ArrayBuffer.isView(value)) return;
  Object.freeze(value);
  for (const held of Object.values(value)) {
    if (typeof held === "object" && held !== null) freeze(held);
  }
}
