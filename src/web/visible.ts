/** Marks that may stand on one letter; more are stacked to cover what is around them. */
const MOST_MARKS = 4;
/**
 * What has no shape of its own or changes how its neighbours are shown: control and format characters (bidi among them), surrogates
 * without a partner, blanks other than the plain one, line separators, and all that Unicode says may be left out.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffe\uffff\u2800]|(?! )\p{Zs}/gu;
const STACKED = new RegExp(`(\\p{M}{${MOST_MARKS}})(\\p{M}+)`, 'gu');

/**
 * Hostile text as it may be shown to a person, at most `limit` characters of it and then how many more there are. What cannot be seen is
 * made visible: control characters as their pictures (`␛`), others by number (`⟦U+202E⟧`). Line feeds and tabs stay. It is still text:
 * whoever puts it into a page escapes it.
 */
export function visible(text: string, limit: number): string {
  if (text.length <= limit) return shown(text);
  const cut = isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
  return `${shown(text.slice(0, cut))} … ⟦${grouped(text.length - cut)} more characters⟧`;
}

/** The same in one line: line feeds and tabs are made visible too. */
export function visibleLine(text: string, limit: number): string {
  return visible(text, limit).replaceAll('\n', '␊').replaceAll('\t', '␉');
}

/** A whole number with commas, as in 4,096. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function shown(text: string): string {
  return text
    .replace(UNSEEN, (character) => pictured(character))
    .replace(STACKED, (_all, kept: string, more: string) => `${kept}⟦${[...more].length} more marks⟧`);
}

function pictured(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x0a || code === 0x09) return character;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
