/** Builds the dashboard into dist/: hashed files under /dashboard/assets, and a page with a place for its nonce. */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL("./", import.meta.url)),
  base: "/dashboard/",
  plugins: [react()],
  // The server replaces this text in every answer; the policy allows no inline style or script without it.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // An inlined file would be a data: address, which the policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
