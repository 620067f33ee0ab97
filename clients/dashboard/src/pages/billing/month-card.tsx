/** A card about one month: the choice of the month, and its entries as a CSV file. */
import { Card, Group, Select, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { CsvButton } from "../../components/csv-button.tsx";
import { useScope } from "../../data/scope.ts";
import { months } from "./months.ts";

type Props = {
  title: string;
  /** What the card shows, in the accessible names and as the id of its heading, e.g. "charges". */
  name: string;
  /** The file's name in the account's part of the API. */
  file: string;
  /** `month` is "YYYY-MM". */
  children: (month: string) => ReactNode;
};

export function MonthCard({ title, name, file, children }: Props) {
  const { account } = useScope();
  const choices = months(account.created_at, Date.now());
  const [month, setMonth] = useState(choices[0]?.value ?? "");
  return (
    <Card component="section" aria-labelledby={name}>
      <Group justify="space-between" mb="md">
        <Title order={2} id={name} fz={16}>
          {title}
        </Title>
        <Group gap="sm">
          <Select
            aria-label={`Month of ${name}`}
            w={170}
            allowDeselect={false}
            data={choices}
            value={month}
            onChange={(chosen) => setMonth(chosen ?? month)}
          />
          <CsvButton name={name} file={file} filter={{ month }} />
        </Group>
      </Group>
      {children(month)}
    </Card>
  );
}
