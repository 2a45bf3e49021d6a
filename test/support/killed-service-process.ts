// Run by tests as a process of its own: hands in one submission and ends itself with SIGKILL at a chosen moment.
//   killed-service-process.ts DATA_FOLDER TASK_FOLDER STEP MOMENT SOURCE
// STEP and MOMENT as the pipeline tells them; MOMENT `during` is 150 ms after the step began.
import { BUNDLED } from '../../src/bin/bundled.ts';
import { openService } from '../../src/bin/open-service.ts';
import { readConfig } from '../../src/config.ts';
import { submit } from '../../src/pipeline/submit.ts';
import { createLog } from '../../src/platform/base/log.ts';
import { saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { saveTask } from '../../src/stages/task/task-store.ts';

const [dataFolder = '', taskFolder = '', step = '', moment = '', source = ''] = process.argv.slice(2);

const config = readConfig({ PROCTOR_DATA_DIR: dataFolder, PROCTOR_LOG_LEVEL: 'error' }, BUNDLED);
const service = await openService(config, createLog('error'), {
  observe: (event) => {
    if (event.step !== step) return;
    if (event.moment === moment) process.kill(process.pid, 'SIGKILL');
    if (moment === 'during' && event.moment === 'begin') setTimeout(() => process.kill(process.pid, 'SIGKILL'), 150);
  },
});
const task = await loadTask(taskFolder);
await saveTask(service.parts, task);
const { id: instanceId } = await saveInstance(service.parts.database, makeInstance(task, { seed: 'killed' }));
const files = [{ path: 'double.py', bytes: Buffer.from(source), executable: false }];
const artifact = await submit(service.parts, service.pipeline, { instanceId, handIn: { files } });
console.log(artifact.id);
await new Promise((resolve) => setTimeout(resolve, 20_000));
