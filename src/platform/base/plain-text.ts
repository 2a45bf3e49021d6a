/** Text as PostgreSQL can hold it: well-formed, without U+0000. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** Text from a sandbox as it may be stored and digested: well-formed, without U+0000, and at most `maxLength` long. */
export function plainText(text: string, maxLength: number): string {
  return storable(text.slice(0, maxLength));
}
