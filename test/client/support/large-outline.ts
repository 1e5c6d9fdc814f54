/**
 * An outline of so many nodes as indented text, like those that people have: a few dozen at the top,
 * mostly ten below each, names of 30 to 60 characters. The name ends with the node's number.
 */
export function indentedOutline(nodes: number): string {
  const lines: string[] = [];
  for (let at = 0; at < nodes; at++) {
    const depth = at % 1000 === 0 ? 0 : at % 100 === 0 ? 1 : at % 10 === 0 ? 2 : 3;
    const words = ["A line with a few words", "Something to think about", "A thing to do one day"];
    const name = `${words[at % words.length]} and its number ${at}`;
    lines.push(`${"  ".repeat(depth)}${name}`);
  }
  return lines.join("\n");
}
