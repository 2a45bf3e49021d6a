import { readFileSync } from 'node:fs';

/** The version in package.json; the same from `src/bin` and from `dist/bin`. */
export function programVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(version);
}
