/** Builds the dashboard into dist/: hashed files under /dashboard/assets, and a page with a placeholder for its nonce. */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: fileURLToPath(new URL("./", import.meta.url)),
  base: "/dashboard/",
  plugins: [react()],
  // The server replaces this text in every response; the content security policy requires the nonce for inline code.
  html: { cspNonce: "__CSP_NONCE__" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    license: { fileName: "licences.md" },
    // An inlined file becomes a data: URL, which the content security policy blocks.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A page is one file; what pages share is one more, which the first page loads: a small file costs as much time as a large one.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } },
    },
  },
});
