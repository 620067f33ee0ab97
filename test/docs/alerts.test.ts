/** docs/alerts.md: every alert has a test that causes its fault, sees it, and sees it end. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ALERT_RULES } from "../support/alert-rules.ts";

const [table = "", running = ""] = readFileSync("docs/alerts.md", "utf8").split("\nWith ");
const rows = [...table.matchAll(/^\| (\w+) \| [^|]+ \| `(test\/\S+)` \|$/gm)].map(
  ([, alert = "", file = ""]) => ({ alert, file }),
);

/** The tests of a file, each with its title. */
function testsOf(file: string): string[] {
  return readFileSync(file, "utf8")
    .split(/^\s*it(?=[(.])/m)
    .slice(1);
}

it("has a row for each alert, in the order of the rules", () => {
  expect(rows.map(({ alert }) => alert)).toEqual(ALERT_RULES.map(({ alert }) => alert));
});

it("names tests that see the alert on and off", () => {
  const isSeen = ({ alert, file }: { alert: string; file: string }) =>
    testsOf(file).some(
      (text) =>
        text.includes(`"${alert}"`) &&
        text.includes(".toBe(true)") &&
        text.includes(".toBe(false)"),
    );
  expect(rows.filter((row) => !isSeen(row))).toEqual([]);
});

it("names the alerts that Prometheus sees in processes", () => {
  const named = [...running.matchAll(/\b[A-Z]\w+/g)].map(([word]) => word);
  const seen = testsOf("test/deploy/prometheus.test.ts").join("\n");
  const alerts = ALERT_RULES.map(({ alert }) => alert);
  expect(alerts.filter((alert) => named.includes(alert))).toEqual(
    alerts.filter((alert) => seen.includes(`"${alert}"`)),
  );
});
