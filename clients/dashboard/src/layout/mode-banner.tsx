/** The banner across every page that says whether it shows test or live mode. */
import { useScope } from "../data/scope.ts";
import classes from "./layout.module.css";

const LABELS = {
  test: { name: "Test mode", meaning: "simulated outputs and test Tokens; nothing is spent" },
  live: { name: "Live mode", meaning: "real outputs and real Tokens" },
};

export function ModeBanner() {
  const { mode } = useScope();
  const { name, meaning } = LABELS[mode];
  return (
    <div className={classes.banner} data-mode={mode} role="status">
      {mode === "live" && <span className={classes.dot} aria-hidden />}
      <span>
        {name}
        <span className={classes.meaning}>: {meaning}</span>
      </span>
    </div>
  );
}
