import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { packageFiles } from "./package-files.ts";
import { restFiles } from "./rest/rest-files.ts";

const FOLDER = fileURLToPath(new URL("../dist/client", import.meta.url));

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
        node: fileURLToPath(new URL("./lib/node/index.ts", import.meta.url)),
        "rest-client": fileURLToPath(new URL("./rest/rest-client.ts", import.meta.url)),
        browser: fileURLToPath(new URL("./lib/browser/index.ts", import.meta.url)),
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
