/** Characters that take no room: U+200B to U+200D, U+2060 to U+2064, U+180E, U+FEFF, and tags U+E0000 to U+E007F. */
const ZERO_WIDTH = /[\u200b-\u200d\u2060-\u2064\u180e\ufeff\u{e0000}-\u{e007f}]/gu;
const TAG = /[\u{e0000}-\u{e007f}]/u;

/** Where they belong: in joined emoji, in flags, and between letters of scripts that are not written letter by letter. */
const ORDINARY = [
  /(?<=\p{Extended_Pictographic}|\ufe0f|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/gu,
  /(?<=\u{1f3f4})[\u{e0020}-\u{e007f}]+/gu,
  /(?<=(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}])[\u200b-\u200d\u2060]+/gu,
];
/** So many in one comment spell something; fewer came with a text that was pasted. */
const SPELLS_SOMETHING = 8;

/** How many invisible characters a comment or a name holds that have no business there, and whether they look like a message. */
export function zeroWidthIn(text: string): { readonly count: number; readonly message: boolean } {
  if (text.search(ZERO_WIDTH) === -1) return { count: 0, message: false };
  const rest = ORDINARY.reduce((left, pattern) => left.replace(pattern, ''), text);
  const count = rest.match(ZERO_WIDTH)?.length ?? 0;
  return { count, message: count >= SPELLS_SOMETHING || TAG.test(rest) };
}
