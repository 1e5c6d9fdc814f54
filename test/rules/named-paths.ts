import { dirname, join, normalize } from "node:path";

/** A path that a text names and that is not there. */
export interface PathFinding {
  readonly file: string;
  readonly line: number;
  readonly path: string;
}

const FOLDERS = ["src", "client", "test", "docs", ".ci"];
const ENDINGS = "ts|tsx|mjs|md|json|jsonl|txt|png|css|html";
/** In a document: what stands between backticks, and where links lead. */
const NAMED = /`(?<code>[^`\s]+)`|\]\((?<link>[^)\s]+)\)|<img src="(?<image>[^"]+)"/g;
const FILE = new RegExp(`^[\\w.-]+(?:/[\\w.-]+)*\\.(?:${ENDINGS})$`);
const PLACE = new RegExp(`^(?:${FOLDERS.join("|").replace(".", "\\.")})(?:/[\\w.-]+)+/?$`);
/** In a comment: whatever begins with one of the project's folders. */
const IN_COMMENT = /(?<![\w/.-])(?:src|client|test|docs)(?:\/[\w-]+(?:\.[\w-]+)*)+/g;

/** The paths of a project, as far as texts name them. */
export class ProjectPaths {
  readonly #paths = new Set<string>();
  readonly #ends = new Set<string>();

  /** @param files relative to the project */
  constructor(files: Iterable<string>) {
    for (const file of files) {
      for (let path = file; path !== "."; path = dirname(path)) this.#paths.add(path);
      const names = file.split("/");
      for (const start of names.keys()) this.#ends.add(names.slice(start).join("/"));
    }
  }

  /** Whether a link in a file of `folder` leads somewhere. */
  leadsFrom(folder: string, path: string): boolean {
    return this.#paths.has(normalize(join(folder, path)).replace(/\/$/, ""));
  }

  /** Whether a path is one of the project, or the end of one of its files. */
  knows(path: string): boolean {
    return this.#paths.has(path.replace(/\/$/, "")) || this.#ends.has(path);
  }
}

/**
 * The paths that a file names and that are not there: in markdown what stands between backticks and
 * where links lead, in a source what its comments say.
 *
 * @param file relative to the project
 */
export function missingPaths(
  file: string,
  text: string,
  paths: ProjectPaths,
): readonly PathFinding[] {
  const missingIn = file.endsWith(".md") ? missingInMarkdown : missingInComment;
  return text
    .split("\n")
    .flatMap((line, index) =>
      missingIn(line, dirname(file), paths).map((path) => ({ file, line: index + 1, path })),
    );
}

function missingInMarkdown(line: string, folder: string, paths: ProjectPaths): readonly string[] {
  return [...line.matchAll(NAMED)].flatMap(({ groups = {} }) => {
    const { code, link = groups["image"] } = groups;
    if (code !== undefined) {
      return (FILE.test(code) || PLACE.test(code)) && !paths.knows(code) ? [code] : [];
    }
    if (link === undefined || /^(?:[a-z]+:|#)/.test(link)) return [];
    return paths.leadsFrom(folder, link.replace(/#.*/, "")) ? [] : [link];
  });
}

function missingInComment(line: string, _folder: string, paths: ProjectPaths): readonly string[] {
  const comment = /^\s*\/?\*.*|(?:^|\s)\/\/ .*/.exec(line)?.[0] ?? "";
  const named = [...comment.matchAll(IN_COMMENT)].map(([path]) => path);
  return named.filter((path) => !paths.knows(path));
}

/** One line for a person. */
export function sentenceOfPath({ file, line, path }: PathFinding): string {
  return `${file}:${line}: there is no ${path}`;
}
