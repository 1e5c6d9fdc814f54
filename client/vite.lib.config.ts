import { defineConfig } from "vite";
import { packageFiles } from "./package-files.ts";
import { restFiles } from "./rest/rest-files.ts";

const FOLDER = new URL("../dist/client", import.meta.url).pathname;

/** Builds the client library, and a package of it, for programs that are no part of this one. */
export default defineConfig({
  base: "./",
  build: {
    outDir: FOLDER,
    emptyOutDir: true,
    target: "es2023",
    sourcemap: true,
    minify: false,
    lib: {
      entry: {
        node: new URL("./lib/node/index.ts", import.meta.url).pathname,
        "rest-client": new URL("./rest/rest-client.ts", import.meta.url).pathname,
        browser: new URL("./lib/browser/index.ts", import.meta.url).pathname,
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
  plugins: [restFiles(), packageFiles(FOLDER)],
});
