/**
 * Whether a name matches a pattern in which `*` is any text and `?` one character; in time that grows with the product of their
 * lengths at most, whatever they hold.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  let [at, of, star, resume] = [0, 0, -1, 0];
  while (at < name.length) {
    if (pattern[of] === '*') {
      star = of++;
      resume = at;
    } else if (of < pattern.length && (pattern[of] === '?' || pattern[of] === name[at])) {
      of++;
      at++;
    } else if (star >= 0) {
      of = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[of] === '*') of++;
  return of === pattern.length;
}
