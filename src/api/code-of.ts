/**
 * The program in a model's answer: its last fenced block of code (CommonMark, backticks or tildes), or the whole where it has none. A
 * block that never ends reaches to the end of the text.
 */
export function codeOf(response: string): string {
  const lines = response.split('\n');
  let fence: { readonly mark: string; readonly from: number } | null = null;
  let last: string | null = null;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark === undefined) continue;
    if (fence === null) fence = { mark, from: index + 1 };
    else if (mark[0] === fence.mark[0] && mark.length >= fence.mark.length && line.trim() === mark) {
      last = lines.slice(fence.from, index).join('\n');
      fence = null;
    }
  }
  if (fence !== null) last = lines.slice(fence.from).join('\n');
  return last === null ? response : `${last}\n`;
}
