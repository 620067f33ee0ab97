/** The type of a webhook event, which breaks after its dots where it does not fit. */
import { Fragment } from "react";

export function EventType({ type }: { type: string }) {
  return type.split(".").map((part, index) => (
    <Fragment key={part}>
      {index > 0 && (
        <>
          .<wbr />
        </>
      )}
      {part}
    </Fragment>
  ));
}
