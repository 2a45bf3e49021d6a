import { describe, expect, it } from 'vitest';
import { readJunit } from './junit-report.ts';

const report = (body: string) =>
  `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="1">${body}</testsuite></testsuites>`;

describe('readJunit', () => {
  it('reads the outcome of each test', () => {
    const text = report(`
      <testcase classname="tests.test_a" name="test_one" time="0.1" />
      <testcase classname="tests.test_a.TestB" name="test_two[&lt;x&gt;-&#9;]"><failure message="a &lt; b">1 &lt; 2</failure></testcase>
      <testcase classname="tests.test_a" name='three'><error message="no"/></testcase>
      <testcase classname="tests.test_a" name="four"><skipped type="pytest.skip"/><system-out><![CDATA[</testcase>]]></system-out></testcase>`);
    expect(readJunit(text)).toEqual([
      { id: 'tests.test_a::test_one', outcome: 'passed' },
      { id: 'tests.test_a.TestB::test_two[<x>-\t]', outcome: 'failed' },
      { id: 'tests.test_a::three', outcome: 'failed' },
      { id: 'tests.test_a::four', outcome: 'skipped' },
    ]);
  });

  it('keeps tests that are reported twice, and a failure beside a skip', () => {
    const text = report('<testcase name="a"/><testcase name="a"><skipped/><failure/></testcase>');
    expect(readJunit(text)).toEqual([
      { id: '::a', outcome: 'passed' },
      { id: '::a', outcome: 'failed' },
    ]);
  });

  it.each([
    ['a doctype with entities', '<!DOCTYPE a [<!ENTITY b "c">]><testsuites/>'],
    ['what is not closed', '<testsuites><testcase name="a">'],
    ['elements that are closed in another order', '<a><b></a></b>'],
    ['a test within a test', '<a><testcase name="a"><testcase name="b"/></testcase></a>'],
    ['elements that are nested deeply', '<a>'.repeat(50) + '</a>'.repeat(50)],
    ['attributes that hold markup', '<testcase name="<failure/>"/>'],
    ['what is large', `<a>${' '.repeat(9 * 1024 * 1024)}</a>`],
  ])('refuses %s', (_, text) => {
    expect(readJunit(text)).toBeNull();
  });

  it('reads hostile text in little time', () => {
    const started = performance.now();
    readJunit(`<testcase ${'a="b" '.repeat(200_000)}`);
    readJunit('<!--'.repeat(300_000));
    readJunit(`<a ${' '.repeat(500_000)}<`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
