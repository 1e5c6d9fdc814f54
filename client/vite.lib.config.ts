import { defineConfig } from "vite";

/** Builds the client library for programs that are no part of this one. */
export default defineConfig({
  base: "./",
  build: {
    outDir: new URL("../dist/client", import.meta.url).pathname,
    emptyOutDir: true,
    target: "es2023",
    sourcemap: true,
    minify: false,
    lib: {
      entry: {
        node: new URL("./lib/node/open.ts", import.meta.url).pathname,
        browser: new URL("./lib/browser/open.ts", import.meta.url).pathname,
      },
      formats: ["es"],
    },
    rolldownOptions: {
      checks: { pluginTimings: false },
      // Packages stay what they are: a program must not have Yjs twice.
      external: (id) => !/^[./\0]/.test(id),
      output: { entryFileNames: "[name].js", chunkFileNames: "shared-[hash].js" },
    },
  },
  worker: { format: "es" },
});
