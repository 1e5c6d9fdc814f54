import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/**
 * Builds the program from its sources and those of its packages: a few files load in half the time
 * of seven hundred.
 */
export default defineConfig({
  build: {
    ssr: fileURLToPath(new URL("./main.ts", import.meta.url)),
    outDir: fileURLToPath(new URL("../dist", import.meta.url)),
    // The app and the library are there, too; and a program that runs may still load its parts.
    emptyOutDir: false,
    target: "node20",
    sourcemap: true,
    minify: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" },
    },
  },
  ssr: {
    noExternal: true,
    // Parts of these are no scripts, or are looked for beside them.
    external: ["classic-level", "pg"],
  },
});
