/** The choice of a month, in UTC like the statements. */
import { Select } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useScope } from "../../data/scope.ts";
import { months } from "../../data/value-format.ts";

/** The chosen month, "YYYY-MM", and its field. */
export function useMonth(name: string): [string, ReactNode] {
  const { account } = useScope();
  const choices = months(account.created_at, Date.now());
  const [month, setMonth] = useState(choices[0]?.value ?? "");
  const field = (
    <Select
      aria-label={`Month of ${name}`}
      w={170}
      allowDeselect={false}
      data={choices}
      value={month}
      onChange={(chosen) => setMonth(chosen ?? month)}
    />
  );
  return [month, field];
}
