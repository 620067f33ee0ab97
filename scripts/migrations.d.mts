/** Types of migrations.mjs for TypeScript. */
type Checked = { ok: boolean; output: string };

export function checkMigrations(root: string): Promise<Checked>;

export function releaseMigrations(root: string): Checked;
