/** Renders the dashboard into index.html. */
import "./library.css";
import "./style.css";
import "./nonce.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/query-client.ts";
import { App } from "./app.tsx";
import { keepFocus } from "./components/focus.ts";
import { PageLoadError } from "./faults/lazy-page.tsx";
import { beginPage } from "./routes.tsx";
import { SIGNED_OUT } from "./session/kept.ts";
import { beginSession } from "./session/session.ts";

/** A placeholder for a shorter time would only delay the page, because it has to be drawn too. */
const MAX_BLANK_MS = 250;

const begun = Promise.all([beginSession(queryClient), beginPage(globalThis.location.pathname)]);
await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, MAX_BLANK_MS))]);

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
