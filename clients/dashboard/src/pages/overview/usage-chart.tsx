/** Columns of the Tokens used per day, by model, beside their axis; a tooltip has the numbers of a day. */
import { Box, Group, Stack, Tooltip } from "@mantine/core";
import { day as dayText, tokens } from "../../data/value-format.ts";
import { Note } from "../../components/texts.tsx";

export type Usage = { model: string; tokens: number; generations: number };
export type Day = { date: string; tokens: number; models: readonly Usage[] };

/** Distinguishable from each other and from the light and dark background. */
const COLORS = ["indigo.5", "teal.6", "yellow.6", "pink.6", "blue.6", "lime.7", "grape.6"];

/** A line at the top and one at half the height. */
const LINES = "linear-gradient(var(--line) 1px, transparent 0) 0 0 / 100% 50%";

export function UsageChart({ days }: { days: readonly Day[] }) {
  const names = new Set(days.flatMap(({ models }) => models.map(({ model }) => model)));
  const models = [...names].toSorted();
  const top = axisTop(Math.max(...days.map((day) => day.tokens)));
  const total = days.reduce((sum, day) => sum + day.tokens, 0);
  const colorOf = (model: string) => COLORS[models.indexOf(model) % COLORS.length];
  return (
    <>
      <Box
        display="grid"
        mt={8}
        style={{ gridTemplateColumns: "auto minmax(0, 1fr)", columnGap: 8 }}
      >
        <Stack justify="space-between" align="flex-end" my={-8} aria-hidden>
          {[top, top / 2, 0].map((value) => (
            <Note key={value}>{tokens(value)}</Note>
          ))}
        </Stack>
        <Group
          gap={0}
          align="stretch"
          wrap="nowrap"
          h={180}
          style={{ borderBottom: "1px solid var(--line)", background: LINES }}
          role="img"
          aria-label={`Columns of the Tokens used on each of ${days.length} days, ${tokens(total)} together. The table below has the same numbers.`}
        >
          {days.map((day) => (
            <Tooltip
              key={day.date}
              // Beside the column: above it are buttons.
              position="right"
              multiline
              style={{ whiteSpace: "pre-line" }}
              label={[
                `${dateOf(day)}: ${tokens(day.tokens)}`,
                ...day.models.map(({ model, tokens: used }) => `${model} ${tokens(used)}`),
              ].join("\n")}
            >
              <Stack gap={0} justify="flex-end" flex={1} miw={0}>
                {day.models.map(({ model, tokens: used }) => (
                  <Box
                    key={model}
                    w="84%"
                    mx="auto"
                    h={`${(100 * used) / top}%`}
                    bg={colorOf(model) ?? ""}
                  />
                ))}
              </Stack>
            </Tooltip>
          ))}
        </Group>
        <Group justify="space-between" mt={4} style={{ gridColumn: 2 }}>
          {[days[0], days.at(-1)].map((day, index) => (
            <Note key={index}>{day && dateOf(day)}</Note>
          ))}
        </Group>
      </Box>
      <Group gap="md" mt="xs" mih={22}>
        {models.map((model) => (
          <Group key={model} gap={6} wrap="nowrap">
            <Box w={10} h={10} bdrs={3} bg={colorOf(model) ?? ""} />
            <Note>{model}</Note>
          </Group>
        ))}
      </Group>
    </>
  );
}

/** The least round number that is not below the highest column; its half is a whole number. */
function axisTop(highest: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(10, highest)));
  return unit * ([1, 2, 4, 6].find((times) => times * unit >= highest) ?? 10);
}

/** Days are UTC: noon is in the same day nearly everywhere. */
export const dateOf = ({ date }: Pick<Day, "date">): string => dayText(`${date}T12:00:00Z`);
