/** A time in words, with the exact one a hover away. */
import { Tooltip } from "@mantine/core";
import { ago, exact } from "./numbers.ts";

export function When({ time }: { time: string }) {
  return (
    <Tooltip label={exact(time)}>
      <time dateTime={time}>{ago(time, Date.now())}</time>
    </Tooltip>
  );
}
