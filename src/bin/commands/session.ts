import { Command } from 'commander';
import { firstBroken } from '../../stages/session/event.ts';
import { listSessions } from '../../stages/session/session-list-store.ts';
import { allEvents, findSession, findSessionEnd } from '../../stages/session/session-store.ts';
import { EXIT } from '../exit-codes.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, table } from '../output.ts';
import { printReplay } from '../replay/print-replay.ts';
import { replaySession } from '../replay/replay-session.ts';
import { printSession } from '../show-session.ts';
import { sessionsOf, withDatabase, withService } from '../with-service.ts';

/** `proctor session`: what was done in workspaces. */
export function sessionCommand(): Command {
  return new Command('session')
    .description('look at what was done in workspaces')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(replayCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('list sessions, the newest first')
    .option('--limit <number>', 'at most so many', wholeNumber, 20)
    .option('--json', 'print one JSON document')
    .action((options: { limit: number; json?: true }) =>
      withDatabase(async (database) => {
        const sessions = await listSessions(database, options.limit);
        if (options.json) return printJson({ sessions });
        if (sessions.length === 0) return console.log('there are no sessions');
        const rows = sessions.map(({ id, task, origin, outcome, steps, createdAt }) => [
          ...[id, task, origin, outcome ?? 'open', steps === null ? '-' : String(steps), createdAt.toISOString()],
        ]);
        console.log(table([['session', 'task', 'origin', 'outcome', 'steps', 'opened'], ...rows]));
      }),
    );
}

function showCommand(): Command {
  return new Command('show')
    .argument('<session>', 'its id')
    .description('show a session step by step, with its times and what was recorded; and whether its log holds')
    .option('--events', 'every event')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor session show sess_… --events | less')
    .action((id: string, options: { events?: true; json?: true }) =>
      withDatabase(async (database) => {
        const session = await findSession(database, id);
        const [end, events] = [await findSessionEnd(database, id), await allEvents(database, id)];
        const broken = firstBroken(id, events);
        if (options.json) printJson({ session, end, firstBroken: broken, events });
        else printSession({ session, end, events, broken, everyEvent: options.events === true });
        process.exitCode = broken === null ? EXIT.ok : EXIT.differs;
      }),
    );
}

function replayCommand(): Command {
  return new Command('replay')
    .argument('<session>', 'its id')
    .description('make the actions of a session again in a fresh workspace, and compare what came of each')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nOutput that holds times or addresses differs by nature: look at the step before you call it odd.\n\nExample:\n  $ proctor session replay sess_…',
    )
    .action((id: string, options: { json?: true }) =>
      withService(
        async (service) => {
          const replay = await replaySession(service, sessionsOf(service), id);
          if (options.json) printJson(replay);
          else printReplay(replay);
          process.exitCode = replay.steps.every(({ same }) => same) ? EXIT.ok : EXIT.differs;
        },
        {},
        { sessions: true },
      ),
    );
}
