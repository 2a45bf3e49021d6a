import { ProctorError } from '../../../platform/base/errors.ts';

const MAX_DEPTH = 20;
const MAX_ELEMENTS = 100_000;
const MAX_ATTRIBUTES = 50;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const NAME = '[A-Za-z_][\\w.:-]{0,100}';
const OPEN = new RegExp(`<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, 'y');
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*("[^"<]*"|'[^'<]*')`, 'g');
const CLOSE = new RegExp(`</(${NAME})\\s*>`, 'y');

/** An element without its text: reports are judged by structure alone. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
}

interface Open extends XmlElement {
  readonly children: XmlElement[];
}

/**
 * Parses the XML that test reports use: elements, attributes, text, comments, CDATA. No document types, no entities of
 * its own, no processing instructions but the first line. `bad-request` for anything else; linear in the text's length.
 */
export function parseXml(text: string): XmlElement {
  const root: Open = { name: '', attributes: new Map(), children: [] };
  const open: Open[] = [root];
  let count = 0;
  for (let at = afterDeclaration(text); at < text.length; ) {
    const next = nextTag(text, at, open.length === 1);
    if (next === -1) break;
    if (++count > 2 * MAX_ELEMENTS) refuse('more elements than are read');
    at = afterSkipped(text, next) ?? (text.startsWith('</', next) ? close : start)(text, next, open);
  }
  const [only, ...more] = root.children;
  if (open.length !== 1 || only === undefined || more.length > 0) return refuse('there is not one whole root element');
  return only;
}

/** Where the next tag begins, or -1; outside of the root element nothing but white space may stand before it. */
function nextTag(text: string, from: number, outside: boolean): number {
  const next = text.indexOf('<', from);
  const between = outside ? text.slice(from, next === -1 ? text.length : next) : '';
  if (between.trim() !== '') refuse('text outside of the root element');
  return next;
}

function refuse(why: string): never {
  throw new ProctorError('bad-request', `not XML that is read: ${why}`);
}

function afterDeclaration(text: string): number {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  if (!text.startsWith('<?xml', start)) return start;
  const end = text.slice(0, 500).indexOf('?>');
  return end === -1 ? refuse('its first line does not end') : end + 2;
}

/** The end of a comment or CDATA section that begins here; null for an element's tag. */
function afterSkipped(text: string, at: number): number | null {
  for (const [begin, end] of [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
  ] as const) {
    if (!text.startsWith(begin, at)) continue;
    const until = text.indexOf(end, at + begin.length);
    return until === -1 ? refuse('a comment or section does not end') : until + end.length;
  }
  if (text.startsWith('<!', at) || text.startsWith('<?', at))
    return refuse('document types and instructions are refused');
  return null;
}

function start(text: string, at: number, open: Open[]): number {
  OPEN.lastIndex = at;
  const match = OPEN.exec(text);
  if (match === null) return refuse(`a tag that cannot be read at ${at}`);
  const [tag, name = '', attributes = '', empty] = match;
  const element: Open = { name, attributes: attributesOf(attributes), children: [] };
  open.at(-1)?.children.push(element);
  if (empty === '') open.push(element);
  if (open.length > MAX_DEPTH) refuse(`deeper than ${MAX_DEPTH} elements`);
  return at + tag.length;
}

function close(text: string, at: number, open: Open[]): number {
  CLOSE.lastIndex = at;
  const match = CLOSE.exec(text);
  if (match === null || open.length === 1 || open.pop()?.name !== match[1]) {
    return refuse(`an end tag that fits nothing at ${at}`);
  }
  return at + match[0].length;
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', quoted = ''] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) refuse(`the attribute ${name} stands twice`);
    if (attributes.size === MAX_ATTRIBUTES) refuse('more attributes than are read');
    attributes.set(name, unescaped(quoted.slice(1, -1)));
  }
  return attributes;
}

function unescaped(text: string): string {
  return text.replace(/&([^;&]{0,12})(;?)/g, (_whole, name: string, end: string) => {
    const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    if (end === ';' && named !== undefined) return named;
    const number = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name);
    const code = number === null ? Number.NaN : Number.parseInt(number[1] ?? number[2] ?? '', number[1] ? 16 : 10);
    if (end !== ';' || !(code <= 0x10ffff)) return refuse('an entity that is not one of XML’s own');
    return String.fromCodePoint(code);
  });
}
