/** Evaluates the part of PromQL that our rules use, over scrapes of /metrics; Prometheus' own grammar parses it. */
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";
import type { Labels, Sample } from "../../services/ops/status/samples.ts";

export type Scrape = { atSeconds: number; samples: readonly Sample[] };
type Vector = { labels: Labels; value: number }[];
type Value = number | Vector;

/** The names of the metrics in an expression. Throws where it is not PromQL. */
export function metricsIn(expression: string): string[] {
  const names: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, node }) => {
      if (type.isError) throw new Error(`not PromQL: ${expression}`);
      if (node.name === "Identifier") names.push(expression.slice(node.from, node.to));
    },
  });
  return names;
}

/** What the expression comes to after the last scrape. A comparison leaves what it holds for: empty means no alert. */
export function evaluate(expression: string, scrapes: readonly Scrape[]): Value {
  const last = scrapes.at(-1);
  const top = parser.parse(expression).topNode.firstChild;
  if (!last || !top) throw new Error("nothing to evaluate");
  const textOf = (node: SyntaxNode | null) => (node ? expression.slice(node.from, node.to) : "");

  const select = (node: SyntaxNode, { samples }: Scrape): Vector => {
    const name = textOf(node.getChild("Identifier"));
    const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
    const tests = matchers.map((one) => {
      const label = textOf(one.getChild("LabelName"));
      const wanted = JSON.parse(textOf(one.getChild("StringLiteral"))) as string;
      const pattern = new RegExp(`^(?:${wanted})$`);
      const isRegex = textOf(one.getChild("MatchOp")) === "=~";
      return ({ labels }: Sample) =>
        isRegex ? pattern.test(labels[label] ?? "") : labels[label] === wanted;
    });
    return samples.filter((one) => one.name === name && tests.every((test) => test(one)));
  };
  const perSecond = (matrix: SyntaxNode, isRate: boolean): Vector => {
    const selector = matrix.getChild("VectorSelector");
    const [first] = scrapes;
    if (!selector || !first) throw new Error("a range needs a selector");
    const before = new Map(select(selector, first).map((one) => [keyOf(one.labels), one.value]));
    const seconds = isRate ? Math.max(last.atSeconds - first.atSeconds, 1e-9) : 1;
    // Prometheus knows nothing of a series before its first sample.
    return select(selector, last).flatMap(({ labels, value }) => {
      const from = before.get(keyOf(labels));
      return from === undefined ? [] : [{ labels, value: (value - from) / seconds }];
    });
  };
  const aggregate = (node: SyntaxNode): Vector => {
    const by = node.getChild("AggregateModifier")?.getChild("GroupingLabels");
    const names = by?.getChildren("LabelName").map(textOf) ?? [];
    const body = valueOf(node.getChild("FunctionCallBody")?.firstChild) as Vector;
    const groups = Map.groupBy(body, ({ labels }) =>
      JSON.stringify(Object.fromEntries(names.map((name) => [name, labels[name] ?? ""]))),
    );
    const how = AGGREGATES[textOf(node.getChild("AggregateOp"))];
    if (!how) throw new Error(`not supported: ${textOf(node)}`);
    return [...groups].map(([key, rows]) => ({
      labels: JSON.parse(key) as Labels,
      value: how(rows.map(({ value }) => value)),
    }));
  };
  const binary = (node: SyntaxNode): Value => {
    const [left, right] = [valueOf(node.firstChild), valueOf(node.lastChild)];
    const operator = textOf(node.firstChild?.nextSibling ?? null);
    // Its sides are different metrics, so that no row of one replaces one of the other.
    if (operator === "or") return [...(left as Vector), ...(right as Vector)];
    const compare = COMPARISONS[operator];
    const compute = ARITHMETIC[operator];
    if (typeof left === "number" && typeof right === "number" && compute)
      return compute(left, right);
    return joined(left, right).flatMap(({ labels, a, b }) => {
      if (compare) return compare(a, b) ? [{ labels, value: a }] : [];
      if (!compute) throw new Error(`not supported: ${operator}`);
      return [{ labels, value: compute(a, b) }];
    });
  };
  const valueOf = (node: SyntaxNode | null | undefined): Value => {
    if (!node) throw new Error("not PromQL");
    switch (node.name) {
      case "NumberDurationLiteral":
        return Number(textOf(node));
      case "VectorSelector":
        return select(node, last);
      case "AggregateExpr":
        return aggregate(node);
      case "BinaryExpr":
        return binary(node);
      case "ParenExpr":
        return valueOf(node.firstChild);
      case "FunctionCall": {
        const name = textOf(node.getChild("FunctionIdentifier"));
        const matrix = node.getChild("FunctionCallBody")?.getChild("MatrixSelector");
        if (name === "time") return last.atSeconds;
        if (name === "absent") {
          const found = valueOf(node.getChild("FunctionCallBody")?.firstChild) as Vector;
          return found.length > 0 ? [] : [{ labels: {}, value: 1 }];
        }
        if (matrix && /^(rate|increase)$/.test(name)) return perSecond(matrix, name === "rate");
      }
    }
    throw new Error(`not supported: ${textOf(node)}`);
  };
  return valueOf(top);
}

const AGGREGATES: Record<string, (values: number[]) => number> = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  count: (values) => values.length,
};
const COMPARISONS: Record<string, (a: number, b: number) => boolean> = {
  ">": (a, b) => a > b,
  "<": (a, b) => a < b,
  "!=": (a, b) => a !== b,
};
const ARITHMETIC: Record<string, (a: number, b: number) => number> = {
  "/": (a, b) => a / b,
  "*": (a, b) => a * b,
  "-": (a, b) => a - b,
  "+": (a, b) => a + b,
};

/** Rows of both sides with the same labels; a number goes with every row. */
function joined(left: Value, right: Value): { labels: Labels; a: number; b: number }[] {
  if (typeof left === "number") {
    return (right as Vector).map(({ labels, value }) => ({ labels, a: left, b: value }));
  }
  if (typeof right === "number")
    return left.map(({ labels, value: a }) => ({ labels, a, b: right }));
  const others = new Map(right.map((row) => [keyOf(row.labels), row.value]));
  return left.flatMap(({ labels, value: a }) => {
    const b = others.get(keyOf(labels));
    return b === undefined ? [] : [{ labels, a, b }];
  });
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b)));
}
