import { ProctorError } from '../base/errors.ts';
import type { Database } from './database.ts';

type Right = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

const RECORDS = [
  ...['tasks', 'task_registrations', 'admissions', 'instances', 'artifacts', 'screenings', 'grades', 'verdicts'],
  ...['evidence', 'policies', 'decisions', 'rewards', 'attempts', 'sessions', 'session_events', 'session_ends'],
  ...['instance_snapshots', 'retired_seeds', 'solution_prints', 'profile_references', 'profiles', 'opinions'],
  ...['shadow_decisions', 'review_rulings', 'audit_log', 'reward_items', 'run_alarms'],
  ...['trajectory_prints', 'trajectory_bands', 'clusterings', 'cluster_rulings'],
] as const;
/** Cases and how many of each kind wait: they change, as work does. */
const CASES = ['review_cases', 'review_groups'] as const;

/** What changes, and holds no secrets. */
const CHANGING = [...CASES, 'runs', 'workers', 'work', 'schema_migrations'] as const;

/** Who is told of what; webhooks hold secrets. */
const OUTBOX = ['webhooks', 'webhook_messages'] as const;

/**
 * What each kind of process may do with which tables of a server; nobody may change or remove a record. The owner of the tables
 * (who migrates) may do anything, so no process runs as the owner where these are used.
 */
export const ROLE_RIGHTS = {
  /** `serve --api-only`, and commands that register tasks and make keys. */
  proctor_api: {
    SELECT: [...RECORDS, ...CHANGING, ...OUTBOX, 'api_keys', 'live_sessions', 'web_sessions'],
    INSERT: [
      'web_sessions',
      ...['tasks', 'task_registrations', 'admissions', 'instances', 'artifacts', 'work', 'api_keys', 'workers'],
      ...['sessions', 'session_events', 'session_ends', 'retired_seeds', 'profile_references', 'runs'],
      // what a ruling amends; triggers refuse anything else
      ...[...CASES, 'review_rulings', 'audit_log', 'verdicts', 'evidence', 'decisions', 'rewards'],
      ...['reward_items', ...OUTBOX],
      ...['clusterings', 'cluster_rulings', 'trajectory_prints', 'trajectory_bands'],
    ],
    UPDATE: ['api_keys', 'work', 'workers', 'runs', ...CASES, ...OUTBOX],
    DELETE: ['web_sessions'],
  },
  /** `worker`. */
  proctor_worker: {
    SELECT: [...RECORDS, ...CHANGING, ...OUTBOX, 'live_sessions'],
    INSERT: [
      ...['screenings', 'grades', 'verdicts', 'evidence', 'policies', 'decisions', 'rewards', 'attempts', 'workers'],
      ...['artifacts', 'work', 'sessions', 'session_events', 'session_ends', 'live_sessions'],
      ...['instance_snapshots', 'solution_prints', 'runs', 'profiles', 'opinions', 'shadow_decisions'],
      ...['review_rulings', 'audit_log', ...CASES, 'run_alarms', 'webhook_messages'],
      ...['clusterings', 'trajectory_prints', 'trajectory_bands'],
    ],
    UPDATE: ['work', 'workers', 'live_sessions', 'runs', ...CASES, 'webhook_messages'],
    DELETE: ['work', 'live_sessions'],
  },
  /** People and programs that look at what came of it. */
  proctor_reviewer: {
    SELECT: [...RECORDS, ...CHANGING],
    INSERT: [],
    UPDATE: [],
    DELETE: [],
  },
} as const satisfies Record<string, Record<Right, readonly string[]>>;

/** Makes the roles where they are missing and gives them just these rights; logins are made members of them. */
export async function grantRoles(database: Database): Promise<readonly string[]> {
  if (database.kind !== 'server') {
    throw new ProctorError('invalid-config', 'roles are for PostgreSQL: set PROCTOR_DATABASE_URL');
  }
  const roles = Object.entries(ROLE_RIGHTS);
  await database.transaction(async (transaction) => {
    for (const [role, rights] of roles) {
      const [found] = await transaction.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
      if (found === undefined) await transaction.query(`CREATE ROLE ${role} NOLOGIN`);
      await transaction.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`);
      await transaction.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
      for (const [right, tables] of Object.entries(rights)) {
        if (tables.length > 0) await transaction.query(`GRANT ${right} ON ${tables.join(', ')} TO ${role}`);
      }
    }
  });
  return roles.map(([role]) => role);
}
