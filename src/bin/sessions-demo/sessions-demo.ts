import { asProctorError } from '../../platform/base/errors.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson, progress } from '../output.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import { withScratchService } from '../scratch-service.ts';
import { sessionsOf } from '../with-service.ts';
import { writeDemoTask } from './demo-task.ts';
import { printAgents } from './print-agents.ts';
import { type AgentRow, runAgents } from './run-agents.ts';

const DRIVERS = ['bubblewrap', 'docker'] as const;

/** `proctor demo --sessions`: scripted agents in workspaces of each driver. A driver that is not here is told, not passed over. */
export async function demoSessions(options: { readonly json?: true }): Promise<void> {
  const rows: AgentRow[] = [];
  const notRun: string[] = [];
  await withScratchFolder('sessions', async (folder) => {
    const taskFolder = await writeDemoTask(folder);
    for (const driver of DRIVERS) {
      await runOn(driver, taskFolder, rows).catch((thrown) => {
        const error = asProctorError(thrown);
        if (error.code !== 'capability-missing') throw thrown;
        notRun.push(`${driver}: ${error.message}`);
      });
    }
  });
  progress('');
  if (options.json) printJson({ rows, notRun });
  else printAgents(rows, notRun);
  process.exitCode = rows.length > 0 && rows.every(({ asExpected }) => asExpected) ? EXIT.ok : EXIT.differs;
}

function runOn(driver: (typeof DRIVERS)[number], taskFolder: string, rows: AgentRow[]): Promise<void> {
  return withScratchService(
    async (service) => {
      const onRow = (row: AgentRow) => {
        rows.push(row);
        progress(`${row.driver}: ${row.agent}`);
      };
      await runAgents(service, sessionsOf(service), { taskFolder, onRow });
    },
    { PROCTOR_SANDBOX_DRIVER: driver },
    { sessions: true },
  );
}
