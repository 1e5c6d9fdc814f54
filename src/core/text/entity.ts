import { decodeHTMLStrict } from "entities";
import type { Formats } from "./rich-text.ts";

/** A stretch of text; `entity` is set when it was written as one, and is how it was written. */
export interface DecodedPart {
  readonly text: string;
  readonly entity?: string;
}

/**
 * Entities that are just another way to write their character. The first three are how it is written
 * back; the others are the escapes of the markdown export, since in names a backslash is none.
 */
const PLAIN_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&#0042;", "*"],
  ["&#0091;", "["],
  ["&#0096;", "`"],
  ["&#0126;", "~"],
]);

/** The escape of a character that means something in markdown. */
export const MARKDOWN_ESCAPES: ReadonlyMap<string, string> = new Map(
  [...PLAIN_ENTITIES]
    .filter(([source]) => source.startsWith("&#"))
    .map(([source, char]) => [char, source]),
);

/** No entity is longer; as many characters may be written for one. */
export const MAX_ENTITY_LENGTH = 40;

const ENTITY = /&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,30});/g;
const WHOLE_ENTITY = /^&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,30});$/;
const OTHER_ENTITY = /&(?!(?:amp|lt|gt);)[#a-zA-Z]/;
/** The last one is `&`, so that what is left behind by others is none. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&amp;", "&"],
]);
const LINE_SPACE = /^[\t\n\f\r]$/;
const CONTROL = /\p{Cc}/u;

/**
 * The characters that a whole entity stands for; undefined when it is none of HTML's, lacks its
 * semicolon, has more than eight digits, or stands for something that text can't hold. A tab or line break becomes a space.
 */
export function entityText(source: string): string | undefined {
  if (!WHOLE_ENTITY.test(source)) return undefined;
  const plain = PLAIN_ENTITIES.get(source);
  if (plain !== undefined) return plain;
  const text = decodeHTMLStrict(source);
  if (text === source) return undefined;
  if (LINE_SPACE.test(text)) return " ";
  // The decoder's stand-in for what is outside Unicode, a surrogate or zero.
  if (text === "\uFFFD" && !/^&#(?:0*65533|x0*fffd);$/i.test(source)) return undefined;
  return CONTROL.test(text) ? undefined : text;
}

/** True for an entity that has a canonical other way to be written, so its source isn't kept. */
export function isPlainEntity(source: string): boolean {
  return PLAIN_ENTITIES.has(source);
}

/**
 * Splits text at its valid entities, except those of `&`, `<` and `>`, which texts are full of. An `&`
 * that starts none is an ordinary character.
 */
export function decodedParts(text: string): readonly DecodedPart[] {
  if (!OTHER_ENTITY.test(text)) return [{ text: unescapedText(text) }];
  const parts: DecodedPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ENTITY)) {
    const [source] = match;
    const decoded = ESCAPES.has(source) ? undefined : entityText(source);
    if (decoded === undefined) continue;
    if (match.index > end) parts.push({ text: unescapedText(text.slice(end, match.index)) });
    parts.push({ text: decoded, entity: source });
    end = match.index + source.length;
  }
  if (end < text.length) parts.push({ text: unescapedText(text.slice(end)) });
  return parts;
}

/** The text without the three escapes. Split and joined, which is quick where there are very many. */
function unescapedText(text: string): string {
  if (!text.includes("&")) return text;
  let plain = text;
  for (const [source, char] of ESCAPES) plain = plain.split(source).join(char);
  return plain;
}

/** The formats of a part of a text: an entity is remembered when its character alone won't tell. */
export function formatsOfPart(
  part: DecodedPart,
  formats: Formats | undefined,
): Formats | undefined {
  return part.entity === undefined || isPlainEntity(part.entity)
    ? formats
    : { ...formats, e: part.entity };
}

/** The text with every valid entity replaced by its characters: for attribute values. */
export function decodedText(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (source) => entityText(source) ?? source);
}
