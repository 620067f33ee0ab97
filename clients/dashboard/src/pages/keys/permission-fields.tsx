/** The fields that say what an API key may do. */
import { MultiSelect, Select } from "@mantine/core";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import type { Schemas } from "../../api/client.ts";
import { useModels } from "../../data/queries.ts";

export type Permissions = Schemas["KeyPermissions"];

const CHOICES = [
  { value: "all", label: "Everything" },
  { value: "image", label: "Everything, but create only images" },
  { value: "video", label: "Everything, but create only videos" },
  { value: "read", label: "Only read" },
] as const;

type Choice = (typeof CHOICES)[number]["value"];

type Props = { value: Permissions; onChange: (permissions: Permissions) => void };

export function PermissionFields({ value, onChange }: Props) {
  const catalog = useModels().data?.data ?? [];
  const { access, kinds, models = [] } = value;
  const known = catalog.filter(({ kind }) => kinds?.includes(kind) ?? true).map(({ id }) => id);
  const isReader = access === "read";
  return (
    <>
      <Select
        label="May do"
        data-autofocus
        allowDeselect={false}
        data={CHOICES}
        value={choiceOf(value)}
        onChange={(choice) => onChange(permissionsOf(choice ?? "all"))}
      />
      {!isReader && (
        <MultiSelect
          label="Models"
          description="The key can create with these models only. Choose none to allow all of them."
          placeholder={models.length === 0 ? "All models" : ""}
          data={[...new Set([...models, ...known])]}
          maxValues={DASHBOARD_LIMITS.keyModels}
          searchable
          value={models}
          onChange={(chosen) => {
            const { models: _, ...rest } = value;
            onChange(chosen.length === 0 ? rest : { ...rest, models: chosen });
          }}
        />
      )}
    </>
  );
}

function choiceOf({ access, kinds }: Permissions): Choice {
  if (access === "read") return "read";
  return kinds?.length === 1 ? (kinds[0] ?? "all") : "all";
}

/** Another kind has other models, so none is kept. */
function permissionsOf(choice: Choice): Permissions {
  if (choice === "read") return { access: "read" };
  return choice === "all" ? { access: "full" } : { access: "full", kinds: [choice] };
}

/** What a key may not do, in few words; undefined for a key that may do everything. */
export function permissionText({ access, kinds, models }: Permissions): string | undefined {
  if (access === "read") return "Only reads";
  const made = kinds?.map((kind) => `${kind}s`).join(" and ");
  const by = models && `with ${models.join(", ")}`;
  return (made ?? by) ? `Creates only ${[made, by].filter(Boolean).join(", ")}` : undefined;
}
