/** Renders the dashboard into index.html. */
import "./library.css";
import "./style.css";
import "./nonce.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { PageLoadError } from "./faults/lazy-page.tsx";

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
