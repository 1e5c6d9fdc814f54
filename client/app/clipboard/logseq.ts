/** Tasks as Logseq writes them in front of a block. */
const TASK = /^([ \t]*- )(TODO|DOING|NOW|LATER|WAITING|IN-PROGRESS|DONE|CANCELED|CANCELLED) (?=\S)/;
const DONE = new Set(["DONE", "CANCELED", "CANCELLED"]);
/** A property of a block: a line of its own below the first. */
const PROPERTY = /^[ \t]+([a-z][a-z0-9_-]*):: ?(.*)$/i;
/** Properties that say how Logseq shows the block, or what it calls it. */
const OF_ITS_OWN = new Set(["collapsed", "id", "logseq.order-list-type"]);
const ITEM = /^([ \t]*)- /;

/** Whether a text is a list as Logseq copies and keeps it: all blocks, and marks of its own. */
export function isLogseq(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [first] = lines;
  if (first === undefined || !ITEM.test(first)) return false;
  const isPart = (line: string): boolean => ITEM.test(line) || /^[ \t]/.test(line);
  return lines.every(isPart) && lines.some((line) => TASK.test(line) || PROPERTY.test(line));
}

/**
 * The same as a list in markdown: tasks become boxes, and the other lines of a block its note. How
 * blocks are shown is left out, and the log of their times.
 */
export function markdownOfLogseq(text: string): string {
  const result: string[] = [];
  let indent = "";
  let isInLog = false;
  for (const line of text.split("\n")) {
    const words = line.trim();
    if (words === ":LOGBOOK:") isInLog = true;
    else if (isInLog) isInLog = words !== ":END:";
    else if (ITEM.test(line)) {
      indent = `${ITEM.exec(line)?.[1] ?? ""}  `;
      result.push(
        line.replace(
          TASK,
          (_, mark: string, task: string) => `${mark}[${DONE.has(task) ? "x" : " "}] `,
        ),
      );
    } else if (words !== "" && !OF_ITS_OWN.has(PROPERTY.exec(line)?.[1]?.toLowerCase() ?? "")) {
      result.push(`${indent}> ${words}`);
    }
  }
  return result.join("\n");
}
