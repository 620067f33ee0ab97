/** Shows progress: a bar on a terminal, plain lines elsewhere. */

export type Output = { write: (text: string) => unknown; isTTY?: boolean };

export type Screen = {
  line: (text: string) => void;
  /** Percent. */
  progress: (status: string, percent: number) => void;
};

const BAR_WIDTH = 30;
const CLEAR_LINE = "\r\u001B[K";
const LINE_STEP_PERCENT = 10;

export function screenOn(output: Output, nowMs: () => number): Screen {
  return output.isTTY ? terminalScreen(output, nowMs) : plainScreen(output);
}

function terminalScreen(output: Output, nowMs: () => number): Screen {
  const startedMs = nowMs();
  return {
    line: (text) => output.write(`${CLEAR_LINE}${text}\n`),
    progress: (status, percent) => {
      const filled = Math.round((percent / 100) * BAR_WIDTH);
      const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
      const seconds = Math.round((nowMs() - startedMs) / 1_000);
      output.write(`${CLEAR_LINE}${bar} ${String(percent).padStart(3)} %  ${status}, ${seconds} s`);
    },
  };
}

function plainScreen(output: Output): Screen {
  let last = { status: "", percent: -LINE_STEP_PERCENT };
  return {
    line: (text) => output.write(`${text}\n`),
    progress: (status, percent) => {
      const hasChanged = status !== last.status || percent >= last.percent + LINE_STEP_PERCENT;
      if (!hasChanged) return;
      last = { status, percent };
      output.write(`${status} ${percent} %\n`);
    },
  };
}

/** 99500 as "99,500 Tokens". */
export function tokensText(tokens: bigint | number): string {
  return `${tokens.toLocaleString("en-US")} ${BigInt(tokens) === 1n ? "Token" : "Tokens"}`;
}
