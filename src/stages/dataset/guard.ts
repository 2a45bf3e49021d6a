import type { Instance } from '../instance/instance.ts';
import { secretsOf } from '../signal/hidden-secrets.ts';
import { findLeaks } from '../signal/leaks/find-leaks.ts';
import { LEAK_BOUNDS, type Secret } from '../signal/leaks/leak.ts';
import type { Task } from '../task/task.ts';
import type { Episode } from './episode.ts';
import { type HiddenText, hiddenTextOf } from './hidden-text.ts';
import { observationText } from './messages.ts';
import { actionText } from './step-kind.ts';

/** What must not leave, and where it stood. The value itself is never told. */
export interface Leaking {
  /** From 1; 0: in what the episode was asked, or beside its steps. */
  readonly step: number;
  readonly kind: Secret['kind'] | 'hidden-test' | 'api-key' | 'private-key' | 'not-searched';
}

/** Looks for what must not leave, of one instance. */
export interface Guard {
  /** In all that an episode says, also disguised; null: nothing is there. */
  inEpisode(episode: Episode): Leaking | null;
  /** In a finished line, as it stands there. */
  inLine(line: string): Leaking['kind'] | null;
}

const KEYS = [
  ['api-key', /proctor_[0-9a-z]{29}_[0-9a-f]{48}/],
  ['private-key', /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/],
] as const;
/** Texts of one episode; longer ones would be searched in part, which is no search. */
const MOST_CHARS = 4_194_304;
const ENCODERS =
  /\b(?:base\d\d|b\d\dencode|xxd|od|hexdump|hexlify|uuencode|openssl|gzip|zlib|bz2|xz|zip|tar|codecs|encode|tr|rev)\b/;
const RUN = /[A-Za-z0-9+=_-]{32}/;
const NUMBERS = /(?:\b(?:0x)?[0-9a-f]{1,3}\b[\s,:;]{1,3}){10}/i;
/** An instance may have more secrets than one detector looks for. */
const BOUNDS = { ...LEAK_BOUNDS, maxSecrets: 2_000, maxSecretBytes: 262_144 };

/** The guard of one instance: its seed, draw secret, decoys, hidden values and hidden tests, and keys of any kind. */
export function guardOf(task: Task, instance: Instance): Guard {
  const secrets = secretsOf(instance, task.definition.proctor.parameters);
  const plain = plainSearch(secrets);
  const hidden = hiddenTextOf(task, instance);
  return {
    inEpisode: (episode) => leakIn(episode, { secrets, plain, hidden }),
    // its texts were searched before; here it is about what stands beside them
    inLine: (line) =>
      secrets.find(({ value }) => value.length >= FEWEST_CHARS && line.includes(value))?.kind ?? keyIn(line),
  };
}

type PlainSearch = (text: string) => Secret['kind'] | null;

/** Shorter ones would stand somewhere by chance. */
const FEWEST_CHARS = 10;
const ODD = /[^\p{L}\p{N}]+/gu;
/** The same where all is ASCII, which most texts are, in a third of the time. */
const ODD_ASCII = /[^a-z0-9]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what ASCII is
const ASCII = /^[\x00-\x7f]*$/;
const bare = (text: string) => text.toLowerCase().replace(ASCII.test(text) ? ODD_ASCII : ODD, '');

/** Finds secrets as they are, and whatever case and signs stand between their letters. */
function plainSearch(secrets: readonly Secret[]): PlainSearch {
  const wanted = secrets.map(({ kind, value }) => ({ kind, value, letters: bare(value) }));
  const telling = wanted.filter(({ letters }) => letters.length >= FEWEST_CHARS);
  return (text) => {
    const letters = bare(text);
    return telling.find((each) => text.includes(each.value) || letters.includes(each.letters))?.kind ?? null;
  };
}

interface Searched {
  readonly secrets: readonly Secret[];
  readonly plain: PlainSearch;
  readonly hidden: HiddenText;
}

function leakIn(episode: Episode, { secrets, plain, hidden }: Searched): Leaking | null {
  const texts = episode.steps.map((step) => ({
    step: step.step,
    // parameters too, where the command is not all of them
    text: `${actionText(step)}\n${JSON.stringify(step.action.parameters)}\n${observationText(step)}\n${step.mark?.text ?? ''}`,
  }));
  const kindIn = (text: string) => plain(text) ?? keyIn(text) ?? (hidden.isIn(text) ? ('hidden-test' as const) : null);
  const all = texts.map(({ text }) => text).join('\n');
  const kind = kindIn(all);
  if (kind !== null) {
    const place = texts.find(({ text }) => kindIn(text) !== null);
    // what begins in one step and ends in the next has no step of its own
    return { step: place?.step ?? 0, kind };
  }
  if (all.length > MOST_CHARS) return { step: 0, kind: 'not-searched' };
  const packed = texts
    .filter(({ text }) => mayHide(text))
    .map(({ step, text }) => ({ name: String(step), bytes: Buffer.from(text) }));
  const [leak] = packed.length === 0 ? [] : findLeaks(secrets, packed, BOUNDS).leaks;
  return leak === undefined ? null : { step: Number(leak.haystack), kind: leak.secret.kind };
}

/**
 * Whether something may be encoded in a text: it names what encodes, or has a long run of an encoding's characters or of numbers. Every way
 * to decode is tried then; on all texts that would take most of an export's time.
 */
function mayHide(text: string): boolean {
  return ENCODERS.test(text) || RUN.test(text) || NUMBERS.test(text);
}

function keyIn(text: string): 'api-key' | 'private-key' | null {
  return KEYS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
