/** Types of deploy-tools.mjs for TypeScript. */
export function locateDeployTools(): { helm: string; modules: string } | undefined;
