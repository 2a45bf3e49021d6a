import { expect, test } from 'vitest';
import { parseJunit } from './parse-junit.ts';

const told = (text: string) => parseJunit(text).map(({ id, status }) => `${id} ${status}`);

test('suites in suites give their cases, with classes in front', () => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by a runner -->
<testsuites tests="4">
  <testsuite name="outer" tests="4" failures="1">
    <properties><property name="a" value="b"/></properties>
    <testcase classname="Cart" name="adds &amp; &quot;more&#33;&quot;" time="0.25"/>
    <testsuite name='inner' tests='3'>
      <testcase name="fails"><failure message="no"><![CDATA[<testcase name="x"/>]]></failure></testcase>
      <testcase name="errs"><error/></testcase>
      <testcase name="later"><skipped/></testcase>
    </testsuite>
    <system-out>1 passed &lt;ok&gt;</system-out>
  </testsuite>
</testsuites>
`;
  expect(told(text)).toEqual(['Cart::adds & "more!" passed', 'fails failed', 'errs failed', 'later skipped']);
  expect(parseJunit(text)[0]?.wallMs).toBe(250);
});

const LAUGHS = `<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>`;

test.each([
  ['a document type with entities that grow', LAUGHS],
  ['an entity of its own', '<testsuite><testcase name="&b;"/></testsuite>'],
  ['an entity without an end', '<testsuite><testcase name="a & b"/></testsuite>'],
  ['a character beyond Unicode', '<testsuite><testcase name="&#x110000;"/></testsuite>'],
  ['a processing instruction', '<testsuite><?php echo 1 ?></testsuite>'],
  ['an end that is cut', '<testsuite><testcase name="a"/>'],
  ['a tag that is cut', '<testsuite><testcase name="a'],
  ['a second root', '<testsuite/><testsuite><testcase name="a"/></testsuite>'],
  ['text around the root', 'all passed <testsuite/>'],
  ['ends in the wrong order', '<testsuite><testcase name="a"></testsuite></testcase>'],
  ['an attribute twice', '<testsuite><testcase name="a" name="b"/></testsuite>'],
  ['a case without a name', '<testsuite><testcase classname="a"/></testsuite>'],
  ['a count that is not true', '<testsuite tests="2"><testcase name="a"/></testsuite>'],
  ['another root', '<html><testcase name="a"/></html>'],
  ['nothing', ''],
])('%s is refused', (_name, text) => {
  expect(() => parseJunit(text)).toThrow(expect.objectContaining({ code: 'bad-request' }));
});

test.each([
  ['depth', '<testsuite>'.repeat(100_000)],
  ['numbers of elements', `<testsuite>${'<a/>'.repeat(400_000)}</testsuite>`],
  ['attributes', `<testsuite ${Array.from({ length: 1_000 }, (_, at) => `a${at}="1"`).join(' ')}/>`],
  ['white space in a tag', `<testsuite${' '.repeat(1_000_000)}!>`],
  ['open comments', `<testsuite>${'<!-'.repeat(300_000)}`],
])('a bomb of %s is refused in no time', (_name, text) => {
  const startedMs = performance.now();
  expect(() => parseJunit(text)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  expect(performance.now() - startedMs).toBeLessThan(2_000);
});
