/** One test of a JUnit report. */
export interface ReportedTest {
  /** `classname::name`, as the report has them. */
  readonly id: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_DEPTH = 12;
const MAX_TESTS = 10_000;

/** Pieces of XML that a report may hold; whatever begins otherwise (a doctype, an entity) ends the reading. */
const PIECE =
  /[^<]+|<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[^<>]*\?>|<\/([A-Za-z][\w.-]*)\s*>|<([A-Za-z][\w.-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const ATTRIBUTE = /([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const BAD = new Set(['failure', 'error']);

/**
 * The tests of a JUnit report that a submission may have written. Only `testcase` elements with their names and their `failure`, `error` and
 * `skipped` children are read; null for what is no such report, is too large or too deep.
 */
export function readJunit(text: string): readonly ReportedTest[] | null {
  if (text.length > MAX_CHARACTERS) return null;
  const reading: Reading = { tests: [], open: [], current: null };
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.length) {
    const match = PIECE.exec(text);
    if (match === null) return null;
    const [, closing, opening, attributes = '', empty] = match;
    if (opening !== undefined && !open(reading, opening, attributes)) return null;
    if (opening !== undefined && empty === '/') close(reading, opening);
    if (closing !== undefined && !close(reading, closing)) return null;
  }
  return reading.open.length === 0 && reading.current === null ? reading.tests : null;
}

interface Reading {
  readonly tests: ReportedTest[];
  readonly open: string[];
  current: { id: string; outcome: ReportedTest['outcome'] } | null;
}

function open(reading: Reading, element: string, attributes: string): boolean {
  if (reading.open.length >= MAX_DEPTH || reading.tests.length >= MAX_TESTS) return false;
  if (element === 'testcase') {
    if (reading.current !== null) return false;
    const held = attributesOf(attributes);
    reading.current = { id: `${held.get('classname') ?? ''}::${held.get('name') ?? ''}`, outcome: 'passed' };
  } else if (reading.current !== null && reading.open.at(-1) === 'testcase') {
    if (BAD.has(element)) reading.current.outcome = 'failed';
    else if (element === 'skipped' && reading.current.outcome === 'passed') reading.current.outcome = 'skipped';
  }
  reading.open.push(element);
  return true;
}

function close(reading: Reading, element: string): boolean {
  if (reading.open.pop() !== element) return false;
  if (element === 'testcase' && reading.current !== null) {
    reading.tests.push(reading.current);
    reading.current = null;
  }
  return true;
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(ATTRIBUTE)];
  return new Map(found.map(([, name = '', double, single]) => [name, unescapeXml(double ?? single ?? '')]));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(?:[a-z]+|#\d{1,7}|#x[0-9a-fA-F]{1,6});/g, (entity) => {
    const name = entity.slice(1, -1);
    if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
