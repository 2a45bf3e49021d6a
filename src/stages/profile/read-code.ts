import { LONGEST_TEXT } from './read-command.ts';

/** Words by which code ends a test run early or leaves tests out. Honest programs have some of them too. */
const EXIT_TOKENS = [
  ...['sys.exit(', 'os._exit', 'exit(0)', 'SystemExit', 'process.exit', 'System.exit', 'atexit', 'os.abort', 'os.kill'],
  ...['pytest.skip', 'pytest.exit', 'skipTest', 'SkipTest', 'mark.skip', 'unittest.skip', 'xfail', '@Disabled'],
  ...['@Ignore', 't.Skip', '.skip(', '#[ignore]', 'runtest_makereport', 'sessionfinish'],
] as const;
/** All of them at once: plain words only, so that there is nothing to go back to. */
const EXITS = new RegExp(EXIT_TOKENS.map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');

/** How often words that end or leave out tests stand in the first 4 kB of new code. */
export function countExitTokens(text: string): number {
  return text.slice(0, LONGEST_TEXT).match(EXITS)?.length ?? 0;
}

/** Characters in strings and numbers, and all but blanks, of the first 4 kB of new code. A string ends with its line. */
export function literalCharacters(text: string): { readonly literal: number; readonly all: number } {
  let literal = 0;
  let all = 0;
  let quote = 0;
  const end = Math.min(text.length, LONGEST_TEXT);
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > SPACE) {
      all++;
      if (quote !== 0 || isDigit(code)) literal++;
    }
    quote = quoteAfter(quote, code);
  }
  return { literal, all };
}

const [LINE_END, SPACE, DOUBLE_QUOTE, SINGLE_QUOTE, ZERO, NINE] = [10, 32, 34, 39, 48, 57] as const;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** The quote that is open behind a character; 0: none. */
function quoteAfter(quote: number, code: number): number {
  if (code === LINE_END || code === quote) return 0;
  return quote === 0 && (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) ? code : quote;
}
