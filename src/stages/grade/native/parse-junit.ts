import { ProctorError } from '../../../platform/base/errors.ts';
import type { Observed } from './native-report.ts';
import { parseXml, type XmlElement } from './parse-xml.ts';

const MAX_RESULTS = 20_000;
const MAX_NAME = 1_000;

/** The results of a JUnit report. Ids are `classname::name`, or the name alone. `bad-request` for anything unsound. */
export function parseJunit(text: string): readonly Observed[] {
  const root = parseXml(text);
  if (root.name !== 'testsuites' && root.name !== 'testsuite') refuse(`its root is <${root.name}>`);
  const observed: Observed[] = [];
  gather(root, observed);
  return observed;
}

/** Gathers the cases of a suite and those inside it; gives how many there were. */
function gather(suite: XmlElement, observed: Observed[]): number {
  const before = observed.length;
  for (const child of suite.children) {
    if (child.name === 'testcase') observed.push(observedOf(child));
    else if (child.name === 'testsuite') gather(child, observed);
    if (observed.length > MAX_RESULTS) refuse('more results than are read');
  }
  const counted = observed.length - before;
  const claimed = suite.attributes.get('tests');
  if (claimed !== undefined && claimed !== String(counted)) refuse(`a suite of ${counted} tests says "${claimed}"`);
  return counted;
}

function observedOf({ attributes, children }: XmlElement): Observed {
  const name = attributes.get('name') ?? refuse('a test without a name');
  const group = attributes.get('classname') ?? '';
  const has = (...kinds: readonly string[]) => children.some((child) => kinds.includes(child.name));
  const seconds = Number(attributes.get('time') ?? 0);
  return {
    id: (group === '' ? name : `${group}::${name}`).slice(0, MAX_NAME),
    status: has('failure', 'error') ? 'failed' : has('skipped') ? 'skipped' : 'passed',
    note: '',
    wallMs: seconds >= 0 && seconds < 1e6 ? seconds * 1000 : 0,
  };
}

function refuse(why: string): never {
  throw new ProctorError('bad-request', `not a report that is read: ${why}`);
}
