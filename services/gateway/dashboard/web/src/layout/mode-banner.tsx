/** The stripe across every page that makes test and live unmistakable. */
import { usePlace } from "../session/place.ts";
import classes from "./layout.module.css";

const WORDS = {
  test: "Test mode: simulated outputs, test Tokens, nothing is spent.",
  live: "Live mode: real outputs, real Tokens.",
};

export function ModeBanner() {
  const { mode } = usePlace();
  return (
    <div className={classes.banner} data-mode={mode} role="status">
      {mode === "live" && <span className={classes.dot} aria-hidden />}
      {WORDS[mode]}
    </div>
  );
}
