import { ProctorError } from '../../platform/base/errors.ts';
import { FILES } from './adapters/files.ts';
import { SHELL } from './adapters/shell.ts';
import { SQL } from './adapters/sql.ts';
import type { Action, ActionKind, Environment } from './environment.ts';

/** Every way to act in a workspace, by name. A new one is one file and its line here. */
export const ENVIRONMENTS: Readonly<Record<string, Environment>> = Object.fromEntries(
  [SHELL, FILES, SQL].map((environment) => [environment.name, environment]),
);

/** An action whose parameters were found to be as its kind wants them. */
export interface CheckedAction {
  readonly environment: string;
  readonly action: string;
  readonly kind: ActionKind;
  readonly parameters: unknown;
}

/** Finds what an action asks for; `bad-request` with what is wrong, and what there is instead. */
export function checkAction({ environment, action, parameters }: Action): CheckedAction {
  const found = Object.hasOwn(ENVIRONMENTS, environment) ? ENVIRONMENTS[environment] : undefined;
  if (found === undefined) {
    throw new ProctorError(
      'bad-request',
      `no environment ${JSON.stringify(environment)}; there are: ${names(ENVIRONMENTS)}`,
    );
  }
  const kind = Object.hasOwn(found.actions, action) ? found.actions[action] : undefined;
  if (kind === undefined) {
    throw new ProctorError(
      'bad-request',
      `${environment} has no action ${JSON.stringify(action)}; it has: ${names(found.actions)}`,
    );
  }
  const checked = kind.parameters.safeParse(parameters);
  if (checked.success) return { environment, action, kind, parameters: checked.data };
  const problems = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'parameters'}: ${message}`);
  throw new ProctorError('bad-request', `${environment}.${action}: ${problems.join('; ')}`, { problems });
}

function names(table: Readonly<Record<string, unknown>>): string {
  return Object.keys(table).join(', ');
}
