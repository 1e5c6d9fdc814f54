/** A sentence that the build must hear: what is wrong with the rules or with the tests' titles. */
export type RuleFinding =
  | { readonly kind: "untested_rule"; readonly rule: string }
  | { readonly kind: "unknown_rule"; readonly rule: string; readonly file: string }
  | { readonly kind: "repeated_rule"; readonly rule: string }
  | { readonly kind: "misplaced_rule"; readonly rule: string; readonly section: string };

const HEADING = /^## (?<letter>[A-Z]) /;
/** A line of a list, or a row of a table. */
const RULE = /^(?:-|\|) \*\*(?<rule>[A-Z]\d+)\*\*/;
/** Rule tags at the start of a string literal: `"[N7] …"`, `"[N7, R2] …"`. */
const TITLE = /["'`]\[(?<rules>[A-Z]\d+(?:, ?[A-Z]\d+)*)\]/g;

/** The rules that test titles in this source name, in order, as often as they are named. */
export function rulesNamedIn(source: string): readonly string[] {
  return [...source.matchAll(TITLE)].flatMap((match) => (match.groups?.rules ?? "").split(/, ?/));
}

/** The rules of a document, in order. */
export function rulesOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => RULE.exec(line)?.groups?.rule ?? []);
}

/**
 * Compares the rules of the specification with the titles of the tests.
 *
 * @param spec the text of the documents that have rules
 * @param sources the tests' source texts by file name
 * @returns findings in the order of the specification, then of the sources; empty when all is well
 */
export function ruleCoverage(
  spec: string,
  sources: ReadonlyMap<string, string>,
): readonly RuleFinding[] {
  const findings: RuleFinding[] = [];
  const rules = new Set<string>();
  let section = "";
  for (const line of spec.split("\n")) {
    section = HEADING.exec(line)?.groups?.letter ?? section;
    const rule = RULE.exec(line)?.groups?.rule;
    if (rule === undefined) continue;
    if (rules.has(rule)) findings.push({ kind: "repeated_rule", rule });
    if (!rule.startsWith(section)) findings.push({ kind: "misplaced_rule", rule, section });
    rules.add(rule);
  }

  const tested = new Set<string>();
  const unknown: RuleFinding[] = [];
  for (const [file, source] of sources) {
    for (const rule of new Set(rulesNamedIn(source))) {
      tested.add(rule);
      if (!rules.has(rule)) unknown.push({ kind: "unknown_rule", rule, file });
    }
  }
  for (const rule of rules) if (!tested.has(rule)) findings.push({ kind: "untested_rule", rule });
  return [...findings, ...unknown];
}

/** One line for a person. */
export function sentenceOf(finding: RuleFinding): string {
  switch (finding.kind) {
    case "untested_rule":
      return `${finding.rule} has no test`;
    case "unknown_rule":
      return `${finding.rule} is tested in ${finding.file} but is no rule`;
    case "repeated_rule":
      return `${finding.rule} stands twice`;
    case "misplaced_rule":
      return `${finding.rule} stands in section ${finding.section}`;
    default:
      return finding satisfies never;
  }
}
