import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { SETTINGS, type Settings } from './config-settings.ts';
import { type WebConfig, webConfig } from './config-web.ts';
import { messageOf, ProctorError } from './platform/base/errors.ts';

/** A language model that is asked about sessions. */
export interface JudgeConfig {
  readonly url: string;
  readonly model: string;
  readonly key: string | null;
  readonly share: number;
  readonly timeoutMs: number;
  readonly perHour: number;
}

/** The settings of one program, resolved and frozen. */
export interface Config extends WebConfig {
  readonly dataFolder: string;
  readonly stateFolder: string;
  readonly snapshotFolder: string;
  readonly policyFolder: string;
  /** Null: none decides beside the live one. */
  readonly shadowPolicy: string | null;
  readonly database: { readonly url: string } | { readonly folder: string };
  /** Null: no Redis. */
  readonly redisUrl: string | null;
  /** `make`: a missing key is made; never where a setting names it. */
  readonly signingKey: { readonly path: string; readonly make: boolean };
  readonly sandboxDriver: Settings['PROCTOR_SANDBOX_DRIVER'];
  readonly docker: { readonly socketPath: string; readonly runtime: string };
  readonly sessionRecorder: Settings['PROCTOR_SESSION_RECORDER'];
  readonly warmSessions: number;
  /** A language model that is asked about sessions; null: none. */
  readonly judge: JudgeConfig | null;
  readonly gradeConcurrency: number;
  readonly warmSandboxes: number;
  readonly host: string;
  readonly port: number;
  /** Null: no other process passes sessions on to this one. */
  readonly advertiseUrl: string | null;
  readonly maxUploadBytes: number;
  readonly maxOpenSubmissions: number;
  /** Hand-ins for one instance; 0: any number. */
  readonly maxAttempts: number;
  /** Of one key; 0: any number. */
  readonly callsPerSecond: number;
  readonly trainerDetail: Settings['PROCTOR_TRAINER_DETAIL'];
  /** When a run's share of masked rewards is an alarm. */
  readonly maskedShare: { readonly most: number; readonly least: number };
  readonly webhookAllow: readonly string[];
  readonly logLevel: Settings['PROCTOR_LOG_LEVEL'];
  readonly metricsOpen: boolean;
  /** Of a worker or a reaper; null: none. */
  readonly metricsPort: number | null;
}

/** Reads the environment; all faults are reported together in one `invalid-config`. */
export function readConfig(environment: NodeJS.ProcessEnv, bundled: { policyFolder: string }): Config {
  const settings = parseSettings(withFiles(environment));
  const dataFolder = resolve(settings.PROCTOR_DATA_DIR);
  const root = process.getuid?.() === 0;
  const runtime = environment.XDG_RUNTIME_DIR || join('/tmp', `proctor-${process.getuid?.() ?? 0}`);
  if (settings.PROCTOR_REDIS_URL !== undefined && settings.PROCTOR_DATABASE_URL === undefined) {
    throw new ProctorError(
      'invalid-config',
      'settings: PROCTOR_REDIS_URL needs PROCTOR_DATABASE_URL: workers share both',
    );
  }
  const gradeConcurrency = settings.PROCTOR_GRADE_CONCURRENCY ?? cpus().length;
  return Object.freeze({
    dataFolder,
    stateFolder: resolve(settings.PROCTOR_STATE_DIR ?? (root ? '/run/proctor' : join(runtime, 'proctor'))),
    snapshotFolder: resolve(
      settings.PROCTOR_SNAPSHOT_DIR ?? (root ? '/var/lib/proctor/snapshots' : join(dataFolder, 'snapshots')),
    ),
    ...policiesOf(settings, bundled),
    database:
      settings.PROCTOR_DATABASE_URL === undefined
        ? { folder: join(dataFolder, 'database') }
        : { url: settings.PROCTOR_DATABASE_URL },
    redisUrl: settings.PROCTOR_REDIS_URL ?? null,
    signingKey:
      settings.PROCTOR_SIGNING_KEY_FILE === undefined
        ? { path: join(dataFolder, 'signing-key.pem'), make: true }
        : { path: resolve(settings.PROCTOR_SIGNING_KEY_FILE), make: false },
    sandboxDriver: settings.PROCTOR_SANDBOX_DRIVER,
    docker: { socketPath: settings.PROCTOR_DOCKER_SOCKET, runtime: settings.PROCTOR_DOCKER_RUNTIME },
    sessionRecorder: settings.PROCTOR_SESSION_RECORDER,
    warmSessions: settings.PROCTOR_WARM_SESSIONS,
    gradeConcurrency,
    warmSandboxes: settings.PROCTOR_WARM_SANDBOXES ?? 2 * gradeConcurrency,
    judge: judgeOf(settings),
    ...listening(settings),
    ...forRewards(settings),
    maxUploadBytes: settings.PROCTOR_MAX_UPLOAD_BYTES,
    logLevel: settings.PROCTOR_LOG_LEVEL,
    metricsOpen: settings.PROCTOR_METRICS_OPEN,
    metricsPort: settings.PROCTOR_METRICS_PORT ?? null,
  });
}

function judgeOf(settings: Settings): JudgeConfig | null {
  const { PROCTOR_JUDGE_URL: url, PROCTOR_JUDGE_MODEL: model } = settings;
  if (url === undefined) return null;
  if (model === undefined) {
    throw new ProctorError('invalid-config', 'settings: PROCTOR_JUDGE_URL needs PROCTOR_JUDGE_MODEL');
  }
  return {
    ...{ url, model, key: settings.PROCTOR_JUDGE_KEY ?? null, share: settings.PROCTOR_JUDGE_SHARE },
    ...{ timeoutMs: settings.PROCTOR_JUDGE_TIMEOUT_SECONDS * 1000, perHour: settings.PROCTOR_JUDGE_PER_HOUR },
  };
}

function listening(settings: Settings): Pick<Config, 'host' | 'port' | 'advertiseUrl'> & WebConfig {
  const { PROCTOR_HOST: host, PROCTOR_PORT: port, PROCTOR_ADVERTISE_URL: advertiseUrl = null } = settings;
  return { host, port, advertiseUrl, ...webConfig(settings) };
}

function policiesOf(settings: Settings, bundled: { policyFolder: string }) {
  const policyFolder = resolve(settings.PROCTOR_POLICY_DIR ?? bundled.policyFolder);
  return { policyFolder, shadowPolicy: settings.PROCTOR_SHADOW_POLICY ?? null };
}

type ForRewards = Pick<
  Config,
  'maxOpenSubmissions' | 'maxAttempts' | 'callsPerSecond' | 'trainerDetail' | 'maskedShare' | 'webhookAllow'
>;

/** What is for rewards and those who ask for them. */
function forRewards(settings: Settings): ForRewards {
  return {
    maxAttempts: settings.PROCTOR_MAX_ATTEMPTS,
    callsPerSecond: settings.PROCTOR_CALLS_PER_SECOND,
    trainerDetail: settings.PROCTOR_TRAINER_DETAIL,
    maxOpenSubmissions: settings.PROCTOR_MAX_OPEN_SUBMISSIONS,
    maskedShare: { most: settings.PROCTOR_MASKED_SHARE_ALARM, least: settings.PROCTOR_MASKED_SHARE_LEAST },
    webhookAllow: settings.PROCTOR_WEBHOOK_ALLOW,
  };
}

function parseSettings(environment: NodeJS.ProcessEnv): Settings {
  const faults: string[] = unknownSettings(environment);
  const entries = Object.entries(SETTINGS).map(([name, { shape }]) => {
    const text = environment[name];
    const parsed = shape.safeParse(text === '' ? undefined : text);
    if (parsed.success) return [name, parsed.data] as const;
    faults.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join(', ')}`);
    return [name, undefined] as const;
  });
  if (faults.length > 0) throw new ProctorError('invalid-config', `settings: ${faults.join('; ')}`, { faults });
  return Object.fromEntries(entries) as Settings;
}

/** Settings whose values are in files: `NAME_FILE` gives `NAME`. */
const IN_FILES = ['PROCTOR_DATABASE_URL', 'PROCTOR_REDIS_URL', 'PROCTOR_JUDGE_KEY'] as const;

function withFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const read = IN_FILES.filter((name) => environment[`${name}_FILE`]).map((name) => {
    const path = environment[`${name}_FILE`] as string;
    if (environment[name]) throw new ProctorError('invalid-config', `settings: give ${name} or ${name}_FILE, not both`);
    try {
      return [name, readFileSync(path, 'utf8').trim()] as const;
    } catch (thrown) {
      throw new ProctorError('invalid-config', `settings: ${name}_FILE: ${messageOf(thrown)}`);
    }
  });
  return { ...environment, ...Object.fromEntries(read) };
}

/** Variables that are not this program's: those of its clients, and what it gives to agents. */
const OTHERS = ['PROCTOR_URL', 'PROCTOR_KEY', 'PROCTOR_INSTRUCTION'];

function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('PROCTOR_') && !(name in SETTINGS) && !OTHERS.includes(name))
    .map((name) => `${name} is not a setting; see .env.example`);
}
