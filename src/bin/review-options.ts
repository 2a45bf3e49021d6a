import { userInfo } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import { MAX_NAME_LENGTH } from '../stages/review/review.ts';

/** `--json`. */
export const json = () => new Option('--json', 'print one JSON document');
/** `--as`: two people must not share one name, since nobody gives a second opinion on their own ruling. */
export const reviewer = () =>
  new Option('--as <name>', 'who you are; by default the login of this machine').argParser(nameOf);

function nameOf(text: string): string {
  if (text.length > 0 && text.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(text)) return text;
  throw new InvalidArgumentError(`a name has 1 to ${MAX_NAME_LENGTH} characters`);
}

/** Who acts. */
export function whoIs({ as }: { readonly as?: string }): string {
  return as ?? userInfo().username;
}
