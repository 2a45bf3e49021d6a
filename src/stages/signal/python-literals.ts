import type { SyntaxNode } from '@lezer/common';

const SIMPLE: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', '0': '\0', a: '\x07', b: '\b', f: '\f', v: '\v', '\n': '' },
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(0010[0-9a-fA-F]{4}|000[0-9a-fA-F]{5})|([\s\S]))/g;

/**
 * What a string literal says, with its escapes read; adjoining ones are joined, and what an f-string fills in is `{}`.
 * Null for what is no string.
 */
export function stringValue(node: SyntaxNode | null, text: string): string | null {
  switch (node?.name) {
    case 'String':
      return literalValue(text.slice(node.from, node.to));
    case 'FormatString':
      return literalValue(withoutReplacements(node, text));
    case 'ContinuedString': {
      const parts: string[] = [];
      for (let part = node.firstChild; part !== null; part = part.nextSibling)
        parts.push(stringValue(part, text) ?? '');
      return parts.join('');
    }
    default:
      return null;
  }
}

function withoutReplacements(node: SyntaxNode, text: string): string {
  let [value, at] = ['', node.from];
  for (const { from, to } of node.getChildren('FormatReplacement')) {
    value += `${text.slice(at, from)}{}`;
    at = to;
  }
  return value + text.slice(at, node.to);
}

function literalValue(literal: string): string | null {
  const found = /^([a-zA-Z]{0,2})('''|"""|'|")([\s\S]*)\2$/.exec(literal);
  if (found === null) return null;
  const [, prefix = '', , body = ''] = found;
  return prefix.toLowerCase().includes('r') ? body : body.replace(ESCAPE, unescaped);
}

function unescaped(all: string, ...[x, u, long, other]: (string | undefined)[]): string {
  const code = x ?? u ?? long;
  if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
  return SIMPLE[other ?? ''] ?? (other !== undefined && `'"\\`.includes(other) ? other : all);
}

/** A number in one spelling: `1_000` and `1000` are the same, a sign is kept. Null for what is no number. */
export function numberValue(node: SyntaxNode | null, text: string): string | null {
  if (node?.name === 'UnaryExpression' && node.lastChild?.name === 'Number') {
    const value = numberValue(node.lastChild, text);
    return text[node.from] === '-' && value !== null ? `-${value}` : value;
  }
  return node?.name === 'Number' ? text.slice(node.from, node.to).replaceAll('_', '').toLowerCase() : null;
}
