import type { Instance } from '../instance/instance.ts';
import { secretsOf } from '../signal/hidden-secrets.ts';
import { findLeaks } from '../signal/leaks/find-leaks.ts';
import { LEAK_BOUNDS, type Secret } from '../signal/leaks/leak.ts';
import { type SecretMatcher, secretMatcher } from '../signal/leaks/secret-matcher.ts';
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
const MOST_BYTES = 8_388_608;
const ENCODERS =
  /\b(?:base\d\d|b\d\dencode|xxd|od|hexdump|hexlify|uuencode|openssl|gzip|zlib|bz2|xz|zip|tar|codecs|encode|tr|rev)\b/;
const RUN = /[A-Za-z0-9+=_-]{32}/;
const NUMBERS = /(?:\b(?:0x)?[0-9a-f]{1,3}\b[\s,:;]{1,3}){10}/i;
/** An instance may have more secrets than one detector looks for. */
const BOUNDS = { ...LEAK_BOUNDS, maxSecrets: 2_000, maxSecretBytes: 262_144 };

/** The guard of one instance: its seed, draw secret, decoys, hidden values and hidden tests, and keys of any kind. */
export function guardOf(task: Task, instance: Instance): Guard {
  const secrets = secretsOf(instance, task.definition.proctor.parameters);
  const matcher = secretMatcher(secrets, BOUNDS);
  const hidden = hiddenTextOf(task, instance);
  return {
    inEpisode: (episode) => leakIn(episode, { secrets, matcher, hidden }),
    inLine(line) {
      const [match] = matcher.search(Buffer.from(line));
      return secrets[match?.secret ?? -1]?.kind ?? keyIn(line);
    },
  };
}

interface Searched {
  readonly secrets: readonly Secret[];
  readonly matcher: SecretMatcher;
  readonly hidden: HiddenText;
}

function leakIn(episode: Episode, { secrets, matcher, hidden }: Searched): Leaking | null {
  const texts = episode.steps.map((step) => ({
    step: step.step,
    // parameters too, where the command is not all of them
    text: `${actionText(step)}\n${JSON.stringify(step.action.parameters)}\n${observationText(step)}\n${step.mark?.text ?? ''}`,
  }));
  for (const { step, text } of texts) {
    const kind = keyIn(text) ?? (hidden.isIn(text) ? 'hidden-test' : null);
    if (kind !== null) return { step, kind };
  }
  const haystacks = texts.map(({ step, text }) => ({ name: String(step), bytes: Buffer.from(text) }));
  if (haystacks.reduce((sum, { bytes }) => sum + bytes.length, 0) > MOST_BYTES)
    return { step: 0, kind: 'not-searched' };
  for (const { name, bytes } of haystacks) {
    const [match] = matcher.search(bytes);
    const secret = secrets[match?.secret ?? -1];
    if (secret !== undefined) return { step: Number(name), kind: secret.kind };
  }
  const packed = haystacks.filter((_, index) => mayHide(texts[index]?.text ?? ''));
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
