import { Command } from 'commander';
import { grantRoles } from '../../platform/db/roles.ts';
import { printJson } from '../output.ts';
import { withDatabase } from '../with-service.ts';

/** `proctor migrate`: what every start does for its database, by itself, for where processes may not do it. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schema of the configured database up to date')
    .option(
      '--roles',
      'also make the roles proctor_api, proctor_worker and proctor_reviewer, with no more rights than they need',
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      `
Run it as the owner of the tables. Then processes may log in as members of the roles:

Examples:
  $ PROCTOR_DATABASE_URL=postgres://owner@db/proctor proctor migrate --roles
  $ psql -c "CREATE ROLE api_1 LOGIN PASSWORD '…' IN ROLE proctor_api"`,
    )
    .action((options: { roles?: true; json?: true }) =>
      withDatabase(async (database) => {
        const roles = options.roles ? await grantRoles(database) : [];
        const rows = await database.query('SELECT name FROM schema_migrations ORDER BY name');
        const migrations = rows.map(({ name }) => String(name));
        if (options.json) printJson({ migrations, roles });
        else {
          console.log(`the schema is at ${migrations.at(-1)}`);
          if (roles.length > 0) console.log(`roles: ${roles.join(', ')}`);
        }
      }),
    );
}
