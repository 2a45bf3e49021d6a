import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folders = ['wire', 'examiner'].map((name) => fileURLToPath(new URL(`../../graders/${name}`, import.meta.url)));

const PRELUDE = `
import json, math, sys
sys.path[:0] = ${JSON.stringify(folders)}
import values
from values import NotPlain, decode, encode, same
def travelled(value):
    return decode(json.loads(json.dumps(encode(value))))
def refused(call, *args):
    try:
        call(*args)
    except NotPlain:
        return True
    return False
nan, inf = float("nan"), float("inf")
`;

/** What a Python script that sets \`result\` leaves there. */
function python(script: string): unknown {
  const source = `${PRELUDE}\n${script}\nprint(json.dumps(result))\n`;
  return JSON.parse(execFileSync('/usr/bin/python3', ['-I', '-B', '-'], { input: source, encoding: 'utf8' }));
}

/** Runs the named Python expressions in one process and gives each one's value. */
function each(expressions: readonly string[], setup = ''): Record<string, unknown> {
  const pairs = expressions.map((text) => `${JSON.stringify(text)}: ${text}`);
  return python(`${setup}\nresult = {${pairs.join(', ')}}`) as Record<string, unknown>;
}

const all = (expressions: readonly string[], value: boolean) =>
  Object.fromEntries(expressions.map((text) => [text, value]));

const PLAIN = [
  ...['None', 'True', 'False', '0', '-255', '2**64', '-2**200', '1.5', '-0.0', '1e308', '5e-324', 'inf', '-inf', 'nan'],
  ...[
    '""',
    '"é\\u2028\\U0001f600\\0"',
    '"\\ud800"',
    'b""',
    'b"\\x00\\xff"',
    '[]',
    '[1, [2.0, ["x"]]]',
    '()',
    '(1, (2,))',
  ],
  ...['set()', '{1, "a", (2, b"b")}', 'frozenset({1})', '{frozenset({1})}', '{}', '{"a": [1], 2: None, (3,): {}}'],
  ...['{1: "one", "1": "text"}', '{True: "yes"}'],
];

test('every plain value arrives as what it was, with its exact type', () => {
  const checks = PLAIN.map((text) => `same(${text}, travelled(${text})) and type(travelled(${text})) is type(${text})`);
  expect(each(checks)).toEqual(all(checks, true));
});

test('a value equals itself and no other value of a near type', () => {
  const table = each(
    PLAIN.map((text) => `[same(${text}, other) for other in plain].count(True)`),
    `plain = [${PLAIN.join(', ')}]`,
  );
  expect(Object.values(table)).toEqual(PLAIN.map(() => 1));
});

test('equal to Python is not enough: exact types count at every depth', () => {
  const pairs = [
    ...['True, 1', 'False, 0', '1, 1.0', '1.0, True', '[1], (1,)', '"a", b"a"', '0, None', '"", None', '[], ()'],
    ...['{1}, frozenset({1})', '[1, True], [1, 1]', '{"a": 1}, {"a": 1.0}', '{1: "x"}, {True: "x"}', '{1}, {True}'],
    ...[
      '{1.0}, {1}',
      '({"a": [1]},), ({"a": [True]},)',
      '{(1, 2)}, {(True, 2)}',
      '[1], [1, 2]',
      '{1: 2}, {1: 2, 3: 4}',
    ],
    ...['{"a": 1, "b": 2}, {"a": 1, "c": 2}', '[1, 2], [2, 1]'],
  ];
  const checks = pairs.map((pair) => `same(${pair})`);
  const swapped = pairs.map((pair) => `same(*reversed((${pair})))`);
  expect(each([...checks, ...swapped])).toEqual(all([...checks, ...swapped], false));
});

test('order counts in lists and tuples, not in sets and dicts', () => {
  const checks = ['same({1: "a", 2: "b"}, {2: "b", 1: "a"})', 'same({1, 2, 3}, {3, 2, 1})'];
  expect(each(checks)).toEqual(all(checks, true));
});

test('floats: NaN is NaN, signs of zero do not matter, and tolerance is relative above one', () => {
  const right = [
    ...['same(nan, nan)', 'same(0.0, -0.0)', 'same(inf, inf)', 'same([nan], [nan], 0.1)', 'same(1.0, 1.05, 0.1)'],
    ...['same(1000.0, 1090.0, 0.1)', 'same({"a": 0.0}, {"a": 0.1}, 0.1)', 'same(0.1 + 0.2, 0.3, 1e-9)'],
  ];
  const wrong = [
    ...['same(nan, 0.0)', 'same(1.0, nan, 1e9)', 'same(inf, -inf, inf)', 'same(inf, 1e308, inf)'],
    ...['same(1.0, inf, 1e9)', 'same(-inf, -1e308, inf)'],
    ...['same(0.1 + 0.2, 0.3)', 'same(1.0, 1.2, 0.1)', 'same(1000.0, 1110.0, 0.1)', 'same(1, 2, 10.0)'],
  ];
  expect(each([...right, ...wrong])).toEqual({ ...all(right, true), ...all(wrong, false) });
});

test('the sign of zero is kept on the wire', () => {
  expect(each(['math.copysign(1, travelled(-0.0))', 'math.copysign(1, travelled(0.0))'])).toEqual({
    'math.copysign(1, travelled(-0.0))': -1,
    'math.copysign(1, travelled(0.0))': 1,
  });
});

const TRICKS = `
class Always:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
class Int(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__
class Str(str): pass
class List(list):
    def __eq__(self, other): return True
class Dict(dict): pass
class Named(type):
    def __eq__(self, other): return True
    __hash__ = type.__hash__
class Plain(metaclass=Named): pass
tricks = [Always(), Int(1), Str("a"), List([1]), Dict(), Plain(), Always, object(), lambda: 1, 1j, range(3), bytearray(b"a"), iter([])]
plain = [1, "a", [1], {}, None, True, 1.0, b"a", Always, 1j]
`;

test('objects and subclasses, however they compare, arrive as strangers that equal nothing', () => {
  const checks = [
    'all(encode(trick)[0] == "o" for trick in tricks)',
    'all(type(travelled(trick)) is values.Foreign for trick in tricks)',
    'not any(same(value, travelled(trick)) for trick in tricks for value in plain)',
    'not any(same([value], travelled([trick])) for trick in tricks for value in plain)',
    'not any(same({"k": value}, travelled({"k": trick})) for trick in tricks for value in plain)',
    'not same(travelled(Always()), travelled(Always()))',
    'not (lambda one: one == one or same(one, one))(travelled(Always()))',
    'refused(travelled, {Always()})',
    'refused(travelled, {Always(): 1})',
    'travelled(Int(1)).class_name == "__main__.Int"',
  ];
  expect(each(checks, TRICKS)).toEqual(all(checks, true));
});

test('an integer of ten thousand digits travels and compares without being written in decimals', () => {
  const checks = [
    ...['same(10**9999 + 1, travelled(10**9999 + 1))', 'same(-10**9999, travelled(-10**9999))'],
    ...['not same(10**9999 + 1, travelled(10**9999))', 'same({10**9999: 1}, travelled({10**9999: 1}))'],
  ];
  expect(each(checks)).toEqual(all(checks, true));
});

test('depth and size are bounded on both sides, and a cycle is only deep', () => {
  const setup = `
def nested(levels):
    value = 1
    for _ in range(levels): value = [value]
    return value
def form(levels):
    value = ["n"]
    for _ in range(levels): value = ["l", [value]]
    return value
cycle = []
cycle.append(cycle)
`;
  const checks = [
    ...['same(nested(64), travelled(nested(64)))', 'refused(encode, nested(65))', 'refused(encode, cycle)'],
    ...['not refused(decode, form(64))', 'refused(decode, form(65))', 'refused(encode, nested(900))'],
    ...['not refused(encode, [0] * 199_999)', 'refused(encode, [0] * 200_000)', 'refused(encode, [[0] * 99_999] * 2)'],
    ...['not refused(decode, ["l", [["n"]] * 199_999])', 'refused(decode, ["l", [["n"]] * 200_000])'],
    'refused(decode, ["d", [[["i", "1"], ["n"]]] * 100_000])',
  ];
  expect(each(checks, setup)).toEqual(all(checks, true));
});

test('what is no form of a value is refused, whatever it is', () => {
  const forms = [
    ...['None', '1', '"n"', '{}', '[]', '[1]', '[None]', '[[]]', '["x"]', '["x", 1]', '["n", 1]', '["T", None]'],
    ...['["i"]', '["i", 1]', '["i", ""]', '["i", "xyz"]', '["i", "0.5"]', '["i", None]', '["i", "1", "2"]'],
    ...['["f", 1.0]', '["f", "one"]', '["f", ""]', '["f", "0x1p99999"]', '["s"]', '["s", 1]', '["s", None]'],
    ...['["b", "a"]', '["b", "é"]', '["b", "YQ=*"]', '["b", 1]', '["l"]', '["l", 1]', '["l", {}]', '["l", [1]]'],
    ...['["l", "abc"]', '["t", [["n"], 2]]', '["S", [["l", []]]]', '["S", [["o", "x.Y"]]]', '["Z", [["d", []]]]'],
    ...['["d", [1]]', '["d", [[["n"]]]]', '["d", [[["n"], ["n"], ["n"]]]]', '["d", [[["l", []], ["n"]]]]', '["d", {}]'],
    ...['["o", 1]', '["t", [["S", [["S", []]]]], 1]', '["__import__", "os"]', '["L", []]'],
  ];
  const checks = forms.map((form) => `refused(decode, ${form})`);
  expect(each(checks)).toEqual(all(checks, true));
});

/** Whether outputs agree under a comparison, for (expected, given) written as Python bytes. */
const compared = (compare: string, pairs: readonly string[], tolerance = 1e-9) =>
  Object.values(
    each(
      pairs.map((pair) => `same_output("${compare}", (${pair}), ${tolerance})`),
      'from stdio_cases import same_output',
    ),
  );

test('numbers are near enough or not, and words between them must be the same', () => {
  const right = [
    ...['b"1 2.50", b"1.0\\n2.5"', 'b"x=1 -0", b"x=1 0.0"', 'b"1e3", b"1000"', 'b"nan", b"nan"', 'b"", b" \\n"'],
  ];
  const wrong = [
    ...[
      'b"1 2", b"1"',
      'b"1", b"1 2"',
      'b"1 2", b"2 1"',
      'b"a 1", b"b 1"',
      'b"1", b"1.001"',
      'b"1", b"one"',
      'b"1", b""',
    ],
  ];
  expect(compared('numeric', right)).toEqual(right.map(() => true));
  expect(compared('numeric', wrong)).toEqual(wrong.map(() => false));
  expect(compared('numeric', ['b"100", b"109"', 'b"100", b"111"', 'b"0.5", b"0.59"', 'b"0.5", b"0.61"'], 0.1)).toEqual([
    ...[true, false, true, false],
  ]);
});

test('nothing that only passes for a number equals one, whatever the tolerance', () => {
  const tricks = 'nan NaN -nan inf -Infinity 1e400 -1e400 1_0 1_0.0 0x1 1,0 ١ True'.split(' ');
  const pairs = ['0', '1', '10', '1e308'].flatMap((right) => tricks.map((given) => `b"${right}", "${given}".encode()`));
  expect(
    compared('numeric', [...pairs, 'b"1", b"1" + b"0" * 500', 'b"inf", b"1e400"', 'b"nan", b"NaN"'], 1e300),
  ).toEqual(Array.from({ length: pairs.length + 3 }, () => false));
});

test('lines, tokens and exact bytes are compared by their own rules', () => {
  const cases = [
    ['b"a\\nb\\n", b"a \\r\\nb\\n\\n\\n"', false, true, true],
    ['b"a b", b"a  b"', false, false, true],
    ['b"a\\n\\nb", b"a\\nb"', false, false, true],
    ['b" a", b"a"', false, false, true],
    ['b"a", b"A"', false, false, false],
    ['b"1", b"1.0"', false, false, false],
    ['b"a\\xff", b"a\\xff"', true, true, true],
    ['b"a", b"a\\0"', false, false, false],
    ['b"", b"\\n"', false, true, true],
  ] as const;
  const pairs = cases.map(([pair]) => pair);
  expect(compared('exact', pairs)).toEqual(cases.map(([, exact]) => exact));
  expect(compared('lines', pairs)).toEqual(cases.map(([, , lines]) => lines));
  expect(compared('tokens', pairs)).toEqual(cases.map(([, , , tokens]) => tokens));
});
