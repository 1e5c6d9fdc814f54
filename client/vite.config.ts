import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { appParts } from "./app-parts.ts";
import { finishBuild } from "./finish-build.ts";
import { lateParts } from "./late-parts.ts";

const FOLDER = fileURLToPath(new URL("../dist/app", import.meta.url));

/** Builds the web app into the folder that the service serves. */
export default defineConfig({
  root: fileURLToPath(new URL("./app", import.meta.url)),
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: FOLDER,
    emptyOutDir: true,
    target: "es2023",
    sourcemap: "hidden",
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // How long parts of the build take is nothing for those who start the program.
      checks: { pluginTimings: false },
      input: {
        app: fileURLToPath(new URL("./app/index.html", import.meta.url)),
        authorize: fileURLToPath(new URL("./app/authorize.html", import.meta.url)),
        sw: fileURLToPath(new URL("./sw/service-worker.ts", import.meta.url)),
      },
      // It does not say so itself.
      treeshake: {
        moduleSideEffects: [{ test: /node_modules\/@date-fns\/tz\//, sideEffects: false }],
      },
      output: {
        // A worker's address must not change with its content: browsers look there for the next one.
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
        // What the outline needs, in few parts that are fetched side by side and renewed apart.
        codeSplitting: {
          groups: [
            // What the first view shares with the rest must not bring the rest of it along.
            {
              name: "first",
              test: /src\/core\/(?:node-key|node\/layout|text\/(?:href|dates|colored-class|node-link))\.ts$|page\/trusted-types\.ts$|vite\/preload-helper/,
              priority: 4,
            },
            // Which day it is nobody asks before the rows are there.
            {
              name: "days",
              test: /core\/calendar\/calendar-days\.ts$|node_modules\/(?:@date-fns|date-fns)\//,
              priority: 3,
            },
            { name: "crdt", test: /node_modules\/(?:yjs|lib0|y-protocols)\//, priority: 3 },
            // Model and replica pack better together. Not the reader of markdown: see `lateParts`; and not
            // what a replica needs once it is connected, as the comparison of texts.
            {
              name: "replica",
              test: /(?:src\/core\/(?!search\/|merge\/gap|updates\/struct-contradiction|yjs\/(?:state-chunks|struct-encoding)|text\/(?:markdown|emphasis|link-destination|name|note\.|html(?!-of)|open-elements|write-rich|text-diff|text-merge|word-diff))|client\/lib\/(?!search\/|connection\/|rewrite\/|lead|sending|sync-session|store\/compact-updates|browser\/storage-state))/,
              priority: 2,
            },
            { name: appParts(), priority: 1, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  plugins: [lateParts(), finishBuild(FOLDER)],
});
