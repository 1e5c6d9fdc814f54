import { defineConfig } from "vite";
import { finishBuild } from "./finish-build.ts";

const FOLDER = new URL("../dist/app", import.meta.url).pathname;

/** Builds the web app into the folder that the service serves. */
export default defineConfig({
  root: new URL("./app", import.meta.url).pathname,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: FOLDER,
    emptyOutDir: true,
    target: "es2023",
    sourcemap: "hidden",
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        app: new URL("./app/index.html", import.meta.url).pathname,
        sw: new URL("./sw/service-worker.ts", import.meta.url).pathname,
      },
      output: {
        // A worker's address must not change with its content: browsers look there for the next one.
        entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
        // What the outline needs, in parts that are fetched side by side and renewed apart.
        codeSplitting: {
          groups: [
            // What the first view needs of the core must not bring the rest of it along.
            {
              name: "first",
              test: /src\/core\/(?:node-key|layout|text\/(?:href|dates))\.ts$/,
              priority: 4,
            },
            { name: "crdt", test: /node_modules\/(?:yjs|lib0|y-protocols)\//, priority: 3 },
            { name: "text", test: /node_modules\/(?:marked|entities)\//, priority: 3 },
            { name: "core", test: /src\/core\/(?!search\/)/, priority: 2 },
            { name: "replica", test: /client\/lib\/(?!search\/)/, priority: 1 },
          ],
        },
      },
    },
  },
  worker: { format: "es" },
  plugins: [finishBuild(FOLDER)],
});
