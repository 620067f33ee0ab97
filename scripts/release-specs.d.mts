/** Types of release-specs.mjs for TypeScript. */
type Checked = { ok: boolean; output: string };

export function checkDocument(root: string): Checked;

export function checkProtos(root: string): Promise<Checked>;

/** What went wrong; undefined where the specs were released. */
export function releaseSpecs(root: string): Promise<Checked | undefined>;
