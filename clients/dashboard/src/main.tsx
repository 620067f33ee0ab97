/** Puts the dashboard on the page. */
import "./library.css";
import "./style.css";
import "./nonce.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const place = document.querySelector("#app");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
