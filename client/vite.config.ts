import { defineConfig } from "vite";

/** Builds the web app into the folder that the service serves. */
export default defineConfig({
  root: new URL("./app", import.meta.url).pathname,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: new URL("../dist/app", import.meta.url).pathname,
    emptyOutDir: true,
    target: "es2023",
    sourcemap: true,
    modulePreload: { polyfill: false },
  },
  worker: { format: "es" },
});
