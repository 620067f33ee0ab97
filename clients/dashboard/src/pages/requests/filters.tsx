/** The fields above the request log: an id, the status and the API key. */
import { Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { apiKeysQuery } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { isRequestId, STATUSES, type RequestFilter } from "./use-filter.ts";

const TYPING_MS = 300;
/** The longest Request-Id. */
const MAX_ID_CHARACTERS = 64;

type Props = { filter: RequestFilter; onChange: (change: Partial<RequestFilter>) => void };

export function Filters({ filter, onChange }: Props) {
  const { account, mode, may } = useScope();
  const keys = useQuery({ ...apiKeysQuery(account.id), enabled: may("listKeys") });
  const ofMode = keys.data?.filter((key) => key.mode === mode) ?? [];
  return (
    <Group mb="md" gap="sm" align="flex-start">
      <IdField initial={filter.id ?? ""} onSearch={(id) => onChange({ id })} />
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        w={140}
        data={STATUSES}
        value={filter.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
      />
      <Select
        aria-label="Key"
        placeholder="Any key"
        clearable
        w={180}
        comboboxProps={{ width: 240, position: "bottom-start" }}
        data={ofMode.map(({ id, name, last_four: end }) => ({
          value: id,
          label: `${name} …${end}`,
        }))}
        value={filter.key ?? null}
        onChange={(key) => onChange({ key: key ?? undefined })}
      />
    </Group>
  );
}

/** Searches when the user pauses. */
function IdField(props: { initial: string; onSearch: (id: string) => void }) {
  const [text, setText] = useState(props.initial);
  const search = useDebouncedCallback(props.onSearch, TYPING_MS);
  const id = text.trim();
  return (
    <TextInput
      type="search"
      aria-label="Request-Id or generation"
      placeholder="Request-Id or generation"
      leftSection={<Search size={15} aria-hidden />}
      style={{ flex: "1 1 260px" }}
      maxLength={MAX_ID_CHARACTERS}
      error={id !== "" && !isRequestId(id) && "8 to 64 letters, digits, _ or -"}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        search(value.trim());
      }}
    />
  );
}
