import { Command, Option } from 'commander';
import { listKeys, revokeKey } from '../../api/key-store.ts';
import { createKey } from '../../api/keys.ts';
import { ROLES, type Role } from '../../api/roles.ts';
import { printJson, table } from '../output.ts';
import { withDatabase } from '../with-service.ts';

/** `proctor key create|list|revoke`: for a database that no `serve` holds; a running service has /v1/keys. */
export function keyCommand(): Command {
  const key = new Command('key').description('make, list and revoke API keys');
  key
    .command('create')
    .description('make a key; it is printed once')
    .requiredOption('--name <text>', 'whose it is')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor key create --name run-7 --role trainer')
    .action((options: { name: string; role: Role; json?: true }) =>
      withDatabase(async (database) => {
        const { id, text } = await createKey(database, options);
        if (options.json) printJson({ keyId: id, key: text });
        else console.log(text);
      }),
    );
  key
    .command('list')
    .description('list keys, without their secrets')
    .option('--json', 'print one JSON document')
    .action((options: { json?: true }) =>
      withDatabase(async (database) => {
        const keys = await listKeys(database);
        if (options.json) printJson({ keys });
        else
          console.log(
            table(keys.map(({ id, role, name, revokedAt }) => [id, role, name, revokedAt === null ? '' : 'revoked'])),
          );
      }),
    );
  key
    .command('revoke')
    .argument('<id>', 'key_…')
    .description('from now on the key opens nothing')
    .action((id: string) => withDatabase((database) => revokeKey(database, id)));
  return key;
}
