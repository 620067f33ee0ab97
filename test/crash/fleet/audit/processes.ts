/** No process ended unless it was killed or stopped. */
import type { Check } from "./evidence.ts";

export const checkProcesses: Check = ({ crashes }) =>
  crashes.map(({ name, lastWords }) => `${name} ended unasked: ${lastWords}`);
