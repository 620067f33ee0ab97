/** A time relative to now, with the exact time in a tooltip. */
import { Tooltip } from "@mantine/core";
import { timeAgo, dateTime } from "./value-format.ts";

export function RelativeTime({ time }: { time: string }) {
  return (
    <Tooltip label={dateTime(time)}>
      <time dateTime={time} style={{ whiteSpace: "nowrap" }}>
        {timeAgo(time, Date.now())}
      </time>
    </Tooltip>
  );
}
