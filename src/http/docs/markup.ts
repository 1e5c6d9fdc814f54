/** HTML that is safe to send: made of literal templates and escaped values. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type MarkupValue = string | number | Markup | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function render(value: MarkupValue): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map((part) => part.text).join("");
  return escape(String(value));
}

/** A template of HTML: every value in it is escaped unless it is markup itself. */
export function html(literals: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  return new Markup(
    literals.reduce((text, literal, index) => text + render(values[index - 1] ?? "") + literal),
  );
}

/** Prose in which backticks mark code. */
export function prose(text: string): readonly Markup[] {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
