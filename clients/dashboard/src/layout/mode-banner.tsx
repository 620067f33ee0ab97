/** The stripe across every page that makes test and live unmistakable. */
import { usePlace } from "../session/scope.ts";
import classes from "./layout.module.css";

const WORDS = {
  test: { name: "Test mode", meaning: "simulated outputs and test Tokens; nothing is spent" },
  live: { name: "Live mode", meaning: "real outputs and real Tokens" },
};

export function ModeBanner() {
  const { mode } = usePlace();
  const { name, meaning } = WORDS[mode];
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
