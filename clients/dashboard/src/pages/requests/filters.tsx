/** The fields above the request log: an id, the status, the API key and days. */
import { Group } from "@mantine/core";
import { Choice, DayFields, keyOptions, SearchField } from "../../components/filter-fields.tsx";
import { useApiKeys } from "../../data/queries.ts";
import { isRequestId, STATUSES, type RequestFilter } from "./use-filter.ts";

/** The longest Request-Id. */
const MAX_ID_CHARACTERS = 64;

type Props = { filter: RequestFilter; onChange: (change: Partial<RequestFilter>) => void };

export function Filters({ filter, onChange }: Props) {
  const keys = useApiKeys();
  return (
    <Group mb="md" gap="sm" align="flex-start">
      <SearchField
        label="Request-Id or generation"
        style={{ flex: "1 1 260px" }}
        maxLength={MAX_ID_CHARACTERS}
        value={filter.id ?? ""}
        onSearch={(id) => onChange({ id })}
        faultOf={(id) =>
          id === "" || isRequestId(id) ? undefined : "8 to 64 letters, digits, _ or -"
        }
      />
      <Choice
        label="Status"
        style={{ flex: "1 1 130px" }}
        data={STATUSES}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label="Key"
        style={{ flex: "1 1 150px" }}
        data={keyOptions(keys.data)}
        value={filter.key}
        onChange={(key) => onChange({ key })}
      />
      <DayFields days={filter} onChange={onChange} />
    </Group>
  );
}
