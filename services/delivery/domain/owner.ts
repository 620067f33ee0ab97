/** Whose files, webhooks and secrets they are: those of its two modes are apart. */
import type { ModeName } from "#vocabulary/names.ts";

export type Owner = { accountId: string; mode: ModeName };
