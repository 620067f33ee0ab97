/** A stacked bar chart of the Tokens used per day; the values of the day under the pointer are shown over it. */
import { Box, Group, Paper, Text } from "@mantine/core";
import { type RefCallback, useCallback, useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { compactNumber, tokens } from "../../components/value-format.ts";
import classes from "./overview.module.css";
import { bars, colorOf, modelsOf, scale } from "./usage-scale.ts";

type Day = Schemas["UsageDay"];

const HEIGHT = 210;
const LEFT = 44;
const BOTTOM = 22;
const TOP = 8;
const LABEL_WIDTH = 64;

export function UsageChart({ days }: { days: readonly Day[] }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const [active, setActive] = useState<number>();
  const models = modelsOf(days);
  const { top, ticks } = scale(Math.max(...days.map((day) => day.tokens)));
  const plot = {
    left: LEFT,
    top: TOP,
    width: Math.max(width - LEFT, 0),
    height: HEIGHT - TOP - BOTTOM,
  };
  const step = plot.width / days.length;
  const y = (value: number) => plot.top + plot.height * (1 - value / top);
  const labelInterval = Math.max(1, Math.ceil(LABEL_WIDTH / Math.max(step, 1)));
  const total = days.reduce((sum, day) => sum + day.tokens, 0);
  return (
    <Box ref={ref} pos="relative" onMouseLeave={() => setActive(undefined)}>
      <svg
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`Bars of the Tokens used on each of ${days.length} days, ${tokens(total)} together. The table below has the same numbers.`}
        className={classes.chart}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} className={classes.grid} />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" className={classes.tick}>
              {compactNumber(tick)}
            </text>
          </g>
        ))}
        {days.map((day, index) => (
          <g key={day.date} onMouseEnter={() => setActive(index)}>
            <rect
              x={LEFT + index * step}
              y={plot.top}
              width={step}
              height={plot.height}
              className={classes.column}
              data-active={index === active || undefined}
            />
            {bars(day, models).map(({ model, from, to }) => (
              <rect
                key={model}
                x={LEFT + index * step + step * 0.16}
                y={y(to)}
                width={step * 0.68}
                height={Math.max(y(from) - y(to), 0.5)}
                rx={Math.min(2, step * 0.2)}
                fill={colorOf(model, models)}
              />
            ))}
            {index % labelInterval === 0 && (
              <text
                x={LEFT + index * step + step / 2}
                y={HEIGHT - 5}
                textAnchor="middle"
                className={classes.tick}
              >
                {label(day.date)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <Group gap="md" mt="xs" mih={22}>
        {models.map((model) => (
          <Entry key={model} color={colorOf(model, models)} text={model} />
        ))}
      </Group>
      {active !== undefined && days[active] && (
        <Values day={days[active]} models={models} isAtLeft={active >= days.length / 2} />
      )}
    </Box>
  );
}

type ValuesProps = { day: Day; models: readonly string[]; isAtLeft: boolean };

/** What each model used on the day, over the part of the chart that is away from the pointer: nothing moves. */
function Values({ day, models, isAtLeft }: ValuesProps) {
  return (
    <Paper
      withBorder
      pos="absolute"
      top={0}
      p="xs"
      style={{ [isAtLeft ? "left" : "right"]: 0, pointerEvents: "none" }}
      aria-hidden
    >
      <Text size="xs" fw={600} className="number">
        {label(day.date)}: {tokens(day.tokens)}
      </Text>
      {day.models.map(({ model, tokens: used }) => (
        <Entry key={model} color={colorOf(model, models)} text={`${model} ${tokens(used)}`} />
      ))}
    </Paper>
  );
}

function Entry({ color, text }: { color: string; text: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <span className={classes.swatch} style={{ background: color }} />
      <Text size="xs" c="dimmed" className="number">
        {text}
      </Text>
    </Group>
  );
}

const dayFormat = new Intl.DateTimeFormat("en-US", {
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});

function label(date: string): string {
  return dayFormat.format(new Date(date));
}

/** The width in pixels of an element without padding; known before the element is painted first, and kept up to date. */
function useWidth<T extends HTMLElement>(): [RefCallback<T>, number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: T) => {
    const measure = () => setWidth(element.clientWidth);
    // An observer alone tells it after the first paint when the browser is busy.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
