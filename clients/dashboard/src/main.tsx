/** Renders the dashboard into index.html. */
import "./library.css";
import "./style.css";
import "./nonce.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { App } from "./app.tsx";
import { keepFocus } from "./components/focus.ts";
import { atMost } from "./data/refetch.ts";
import { PageLoadError } from "./faults/lazy-page.tsx";
import { beginPage } from "./routes.tsx";
import { SIGNED_OUT } from "./session/kept.ts";
import { beginSession } from "./session/session.ts";

/** A placeholder for a shorter time would only delay the page, because it has to be drawn too. */
const MAX_BLANK_MS = 250;

await atMost(MAX_BLANK_MS, beginSession(queryClient), beginPage(location.pathname));

keepFocus();
addEventListener("storage", ({ key }) => key === SIGNED_OUT && location.reload());

const container = document.querySelector("#app");
if (container) {
  const root = createRoot(container, {
    // The browser has already logged the file that it could not load.
    onCaughtError: (error) => {
      if (!(error instanceof PageLoadError)) reportError(error);
    },
  });
  root.render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
