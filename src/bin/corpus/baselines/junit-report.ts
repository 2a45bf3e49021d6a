import { ProctorError } from '../../../platform/base/errors.ts';
import { parseXml, type XmlElement } from '../../../stages/grade/native/parse-xml.ts';

/** One test of a JUnit report. */
export interface ReportedTest {
  /** `classname::name`, as the report has them. */
  readonly id: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

const MAX_CHARACTERS = 8 * 1024 * 1024;
const MAX_DEPTH = 12;
const MAX_TESTS = 10_000;

/**
 * The tests of a JUnit report that a submission may have written. Only `testcase` elements with their names and their `failure`, `error` and
 * `skipped` children are read; null for what is no such report, is too large or too deep.
 */
export function readJunit(text: string): readonly ReportedTest[] | null {
  if (text.length > MAX_CHARACTERS) return null;
  const tests: ReportedTest[] = [];
  try {
    return gather(parseXml(text), 1, tests) ? tests : null;
  } catch (thrown) {
    if (thrown instanceof ProctorError) return null;
    throw thrown;
  }
}

/** Adds the tests at and below an element; false when it is no report that is read. */
function gather(element: XmlElement, depth: number, tests: ReportedTest[]): boolean {
  if (depth > MAX_DEPTH || tests.length >= MAX_TESTS) return false;
  if (element.name !== 'testcase') return element.children.every((child) => gather(child, depth + 1, tests));
  tests.push(reported(element));
  return element.children.every((child) => holdsNoTest(child, depth + 1));
}

function holdsNoTest(element: XmlElement, depth: number): boolean {
  if (element.name === 'testcase' || depth > MAX_DEPTH) return false;
  return element.children.every((child) => holdsNoTest(child, depth + 1));
}

function reported({ attributes, children }: XmlElement): ReportedTest {
  const has = (...names: readonly string[]) => children.some(({ name }) => names.includes(name));
  const outcome = has('failure', 'error') ? 'failed' : has('skipped') ? 'skipped' : 'passed';
  return { id: `${attributes.get('classname') ?? ''}::${attributes.get('name') ?? ''}`, outcome };
}
