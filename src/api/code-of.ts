/** What a model’s tokenizer writes at the end of a turn, where a trainer decodes with special tokens. */
const LAST_TOKEN = /(?:<\|[^|<>\n]{1,40}\|>|<\/s>|<eos>)\s*$/;
const MOST_LAST_TOKENS = 8;

/**
 * The program in a model’s answer: its last fenced code block, or the whole text when there is none. A block that the answer does not
 * close goes to its end. Takes time linear in the text.
 */
export function codeOf(response: string): string {
  const text = withoutLastTokens(response);
  let found: string | null = null;
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  for (const line of text.split('\n')) {
    const fence = line.match(/^ {0,3}(`{3,}|~{3,})/)?.[1];
    if (open === null) {
      if (fence !== undefined) open = { fence, lines: [] };
    } else if (fence?.startsWith(open.fence) === true && line.trim() === fence) {
      found = open.lines.join('\n');
      open = null;
    } else open.lines.push(line);
  }
  const code = open === null ? (found ?? text) : open.lines.join('\n');
  return code === '' || code.endsWith('\n') ? code : `${code}\n`;
}

/** The answer in a text that is a prompt with its answer, as some trainers send it. */
export function responseIn(query: string, prompt: string): string {
  const at = prompt === '' ? -1 : query.indexOf(prompt);
  return at < 0 ? query : query.slice(at + prompt.length);
}

function withoutLastTokens(response: string): string {
  let text = response;
  for (let taken = 0; taken < MOST_LAST_TOKENS; taken++) {
    const tail = text.slice(-100);
    const token = tail.match(LAST_TOKEN)?.[0];
    if (token === undefined) return text;
    text = text.slice(0, text.length - token.length);
  }
  return text;
}
