/** Chooses a month, and offers its entries as a CSV file. */
import { Button, Group, Select } from "@mantine/core";
import { Download } from "lucide-react";
import { BASE } from "../../api/client.ts";
import { useScope } from "../../session/scope.ts";

type Props = {
  /** Of the accessible names, e.g. "charges". */
  of: string;
  choices: { value: string; label: string }[];
  month: string;
  onChange: (month: string) => void;
  /** The file's name in the account's part of the API. */
  file: string;
};

export function MonthSelect({ of, choices, month, onChange, file }: Props) {
  const { account, mode } = useScope();
  return (
    <Group gap="sm">
      <Select
        aria-label={`Month of ${of}`}
        w={170}
        allowDeselect={false}
        data={choices}
        value={month}
        onChange={(chosen) => onChange(chosen ?? month)}
      />
      <Button
        component="a"
        variant="default"
        aria-label={`CSV of ${of}`}
        href={`${BASE}/accounts/${account.id}/${file}?mode=${mode}&month=${month}`}
        download
        leftSection={<Download size={15} aria-hidden />}
      >
        CSV
      </Button>
    </Group>
  );
}
