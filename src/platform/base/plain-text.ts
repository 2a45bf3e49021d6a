/** Text from a sandbox as it may be stored and digested: well-formed, without U+0000, and at most `maxLength` long. */
export function plainText(text: string, maxLength: number): string {
  return text.slice(0, maxLength).toWellFormed().replaceAll('\u0000', '\ufffd');
}
