/** One way in which mail leaves the service. */
import type { Mail } from "./messages.ts";

export type Transport = {
  /** Resolves when the mail has been accepted. */
  deliver: (to: string, mail: Mail) => Promise<void>;
  /** Gives up what is in progress. */
  close: () => void;
};
