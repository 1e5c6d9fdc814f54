/** A field that may grow, in a file, and what is wrong with what its comment says of its bound. */
export interface FieldFinding {
  readonly file: string;
  readonly line: number;
  readonly field: string;
  /** The row that its comment names and that is no row; undefined when it names none. */
  readonly unknownRow: string | undefined;
}

/**
 * A member of a class or an interface that holds what can be added to, or a constant of a module:
 * told by its type, or by what it begins with. Collections that are `readonly` to their holder don't
 * grow, and weak ones go with their keys.
 */
const FIELD =
  /^ {0,2}(?:export |const |let |private |static |override |readonly )*(?<field>#?\w+)\??(?:: (?<type>(?:[^=]|=>)+?))?(?: = (?<initial>.+))?;?$/;
const GROWING_TYPE =
  /^(?!readonly |\().*\[\]$|^\(\(.*\) => [^[\]]*\)\[\]$|\b(?:Map|Set|FairQueue|LRUCache)</;
const GROWING_INITIAL = /^(?:new (?:Map|Set|FairQueue|LRUCache|KeyCache)\b|newRecentMap\b|\[\];?$)/;
const READONLY_TYPE = /\b(?:ReadonlyMap|ReadonlySet|WeakMap|WeakSet|ReadonlyArray)</;
const ROW = /\[(?<row>Q\d+)\]/;

/** @param source the text of a file @param rows the rows of the table of limits, as `Q1` */
export function growingFieldsWithoutRow(
  file: string,
  source: string,
  rows: ReadonlySet<string>,
): readonly FieldFinding[] {
  const findings: FieldFinding[] = [];
  let comment = "";
  let isMember = false;
  for (const [index, line] of source.split("\n").entries()) {
    const text = line.trim();
    if (/^(?:export )?(?:abstract )?(?:class|interface|type) /.test(line)) isMember = true;
    else if (/^\S/.test(line) && line !== "}" && !text.startsWith("}")) isMember = false;
    if (/^(?:\/\*\*|\*|\/\/)/.test(text)) {
      comment = text.startsWith("/**") ? text : `${comment} ${text}`;
      continue;
    }
    const { field, isGrowing } = readField(line, isMember);
    if (isGrowing) {
      const row = ROW.exec(comment)?.groups?.["row"];
      if (row === undefined || !rows.has(row)) {
        findings.push({ file, line: index + 1, field, unknownRow: row });
      }
    }
    comment = "";
  }
  return findings;
}

function readField(line: string, isMember: boolean): { field: string; isGrowing: boolean } {
  const isConstant = /^(?:export )?(?:const|let) /.test(line);
  const match = FIELD.exec(line);
  if (match === null || !(isConstant || (isMember && /^ {2}\S/.test(line)))) {
    return { field: "", isGrowing: false };
  }
  const { field = "", type = "", initial = "" } = match.groups ?? {};
  const begins = GROWING_INITIAL.test(initial);
  if (isConstant) return { field, isGrowing: begins && /\(\)|\[\]|newRecentMap/.test(initial) };
  if (READONLY_TYPE.test(type) && initial === "") return { field, isGrowing: false };
  return { field, isGrowing: begins || (!type.includes("=>") && GROWING_TYPE.test(type)) };
}

/** One line for a person. */
export function sentenceOfField({ file, line, field, unknownRow }: FieldFinding): string {
  return unknownRow === undefined
    ? `${file}:${line}: ${field} may grow, and its comment names no row of the limits in docs/security.md`
    : `${file}:${line}: ${field} names ${unknownRow}, which is no row of the limits`;
}
