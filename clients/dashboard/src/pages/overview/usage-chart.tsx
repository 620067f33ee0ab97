/** Columns of the Tokens used per day, by model; a tooltip has the numbers of a day. */
import { Group, Text, Tooltip } from "@mantine/core";
import { compactNumber, day as dayText, tokens } from "../../data/value-format.ts";
import classes from "./overview.module.css";

export type Usage = { model: string; tokens: number; generations: number };
export type Day = { date: string; tokens: number; models: readonly Usage[] };

/** Distinguishable from each other and from the light and dark background. */
const COLORS = [
  "#6366f1",
  "#0d9488",
  "#d97706",
  "#db2777",
  "#0284c7",
  "#65a30d",
  "#9333ea",
  "#64748b",
];

export function UsageChart({ days }: { days: readonly Day[] }) {
  const names = new Set(days.flatMap(({ models }) => models.map(({ model }) => model)));
  const models = [...names].toSorted();
  const top = Math.max(1, ...days.map((day) => day.tokens));
  const total = days.reduce((sum, day) => sum + day.tokens, 0);
  const colorOf = (model: string) => COLORS[models.indexOf(model) % COLORS.length];
  return (
    <>
      <Text size="xs" c="dimmed" ta="right" mb={4}>
        Highest: {compactNumber(top)}
      </Text>
      <div
        className={classes.chart}
        role="img"
        aria-label={`Columns of the Tokens used on each of ${days.length} days, ${tokens(total)} together. The table below has the same numbers.`}
      >
        {days.map((day) => (
          <Tooltip
            key={day.date}
            multiline
            style={{ whiteSpace: "pre-line" }}
            label={[
              `${dateOf(day)}: ${tokens(day.tokens)}`,
              ...day.models.map(({ model, tokens: used }) => `${model} ${tokens(used)}`),
            ].join("\n")}
          >
            <div className={classes.day}>
              {day.models.map(({ model, tokens: used }) => (
                <div
                  key={model}
                  style={{ height: `${(100 * used) / top}%`, background: colorOf(model) }}
                />
              ))}
            </div>
          </Tooltip>
        ))}
      </div>
      <Group justify="space-between" mt={4}>
        {[days[0], days.at(-1)].map((day, index) => (
          <Text key={index} size="xs" c="dimmed">
            {day && dateOf(day)}
          </Text>
        ))}
      </Group>
      <Group gap="md" mt="xs" mih={22}>
        {models.map((model) => (
          <Group key={model} gap={6} wrap="nowrap">
            <span className={classes.swatch} style={{ background: colorOf(model) }} />
            <Text size="xs" c="dimmed">
              {model}
            </Text>
          </Group>
        ))}
      </Group>
    </>
  );
}

/** Days are UTC: noon is in the same day nearly everywhere. */
export const dateOf = ({ date }: Pick<Day, "date">): string => dayText(`${date}T12:00:00Z`);
