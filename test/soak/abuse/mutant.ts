/** A change of one file of the program. */
export interface Edit {
  /** Below `dist`. */
  readonly file: string;
  /** What stands there, once. */
  readonly from: string;
  readonly to: string;
}

/** A protection that is taken out of the built program when it is loaded. */
export interface Mutant {
  /** What is wrong with the program then. */
  readonly wrong: string;
  /** Where several things protect, all of them. */
  readonly edits: readonly Edit[];
}

/**
 * Options of Node that load the program with edits. A program in which one of them finds nothing to
 * be changed does not start: then it has to be written anew.
 */
export function mutantOptions({ edits }: Mutant): readonly string[] {
  const hooks = `
    const edits = ${JSON.stringify(edits)};
    export async function load(url, context, next) {
      const loaded = await next(url, context);
      let source = loaded.source;
      for (const { file, from, to } of edits) {
        if (!url.endsWith("/dist/" + file)) continue;
        const parts = String(source).split(from);
        if (parts.length !== 2) throw new Error("no mutant of " + file + ": " + from);
        source = parts.join(to);
      }
      return { ...loaded, source };
    }`;
  const registering = `
    import { register } from "node:module";
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
  return ["--import", `data:text/javascript,${encodeURIComponent(registering)}`];
}
