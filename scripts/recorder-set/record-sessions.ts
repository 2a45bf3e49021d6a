import { appendFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { openDriver } from '../../src/bin/open-driver.ts';
import type { Service } from '../../src/bin/open-service.ts';
import { withScratchService } from '../../src/bin/scratch-service.ts';
import { CHEATS, type Cheat, TOUCHED } from '../../src/bin/simulator/cheats.ts';
import { randomOf } from '../../src/bin/simulator/random.ts';
import { loadConfig } from '../../src/bin/with-service.ts';
import { keyOfSession } from '../../src/pipeline/hand-in-key.ts';
import { profileSession } from '../../src/pipeline/profile-session.ts';
import { openSessionHost, type SessionHost } from '../../src/pipeline/session-host.ts';
import { ProctorError } from '../../src/platform/base/errors.ts';
import { openRecorder } from '../../src/platform/recorder/recorder.ts';
import { findHandedIn, saveArtifact } from '../../src/stages/artifact/artifact-store.ts';
import { collectFolder } from '../../src/stages/artifact/collect-folder.ts';
import { fillTask } from '../../src/stages/instance/fill-task.ts';
import { findInstance, saveInstance } from '../../src/stages/instance/instance-store.ts';
import { makeInstance } from '../../src/stages/instance/make-instance.ts';
import { HONEST, type LabelledSession, storedBehaviour } from '../../src/stages/profile/labelled-session.ts';
import { checkAction } from '../../src/stages/session/environments.ts';
import { NO_HOUSE_RULES } from '../../src/stages/session/house-rules.ts';
import { loadTask } from '../../src/stages/task/load-task.ts';
import { findTask, saveTask } from '../../src/stages/task/task-store.ts';
import { cheatScript } from './cheat-script.ts';
import { honestScript, SCRIPTED_TASKS, type ScriptedTask } from './honest-script.ts';

/** Rollouts of one prompt. */
const GROUP = 8;
/** Honest sessions for each cheating one. */
const HONEST_PER_CHEAT = 12;
const STEP_SECONDS = 20;

/** One session that is to be recorded; its number says everything about it. */
interface Planned {
  readonly number: number;
  readonly task: ScriptedTask;
  readonly seed: string;
  readonly cheat: Cheat | null;
  readonly commands: readonly string[];
}

/** What session this number is: the same in every run. */
export function planSession(number: number): Planned {
  const group = Math.floor(number / GROUP);
  const task = SCRIPTED_TASKS[group % SCRIPTED_TASKS.length] as ScriptedTask;
  const random = randomOf(number * 7_919 + 13);
  const difficulty = Math.exp(0.3 * randomOf(group + 1).normal());
  const isCheat = number % (HONEST_PER_CHEAT + 1) === HONEST_PER_CHEAT;
  const cheat = isCheat ? (CHEATS[Math.floor(number / (HONEST_PER_CHEAT + 1)) % CHEATS.length] as Cheat) : null;
  const commands =
    cheat === null ? honestScript(task, difficulty, random) : cheatScript(cheat, { task, difficulty }, random);
  return { number, task, seed: `recorder-set-${group}`, cheat, commands };
}

/** What is to be recorded, and where its features go, one line each. */
export interface Recording {
  readonly numbers: readonly number[];
  readonly out: string;
  readonly inFlight: number;
  readonly onSession: () => void;
}

/** Records sessions in workspaces of this machine, with strace, and appends their features. Nothing is graded. */
export function recordSessions({ numbers, out, inFlight, onSession }: Recording): Promise<void> {
  return withScratchService(
    async (service) => {
      const host = await openHost(service);
      const left = [...numbers];
      const work = async () => {
        for (let number = left.shift(); number !== undefined; number = left.shift()) {
          const line = await recordOne(service, host, planSession(number)).catch((thrown: unknown) => {
            // what this machine failed to do says nothing of the session: it is left for another run
            if (!(thrown instanceof ProctorError)) throw thrown;
            process.stderr.write(`session ${number}: ${thrown.message}\n`);
            return null;
          });
          if (line !== null) await appendFile(out, `${JSON.stringify(line)}\n`);
          onSession();
        }
      };
      await Promise.all(Array.from({ length: inFlight }, work)).finally(host.close);
    },
    { PROCTOR_SANDBOX_DRIVER: 'bubblewrap' },
    { grades: false },
  );
}

/** Sessions whose hand-in is sealed and stays ungraded. */
async function openHost({ parts }: Service): Promise<SessionHost> {
  const { database, blobs, log, snapshots } = parts;
  const config = loadConfig({ PROCTOR_SANDBOX_DRIVER: 'bubblewrap' });
  const { driver } = openDriver(config);
  const host = await openSessionHost({
    ...{ database, blobs, log, snapshots, driver, node: hostname(), network: {}, warm: 2, adopts: false },
    recorder: await openRecorder('strace'),
    workerId: parts.sealer.service.worker,
    handIn: async ({ id, instanceId, labels }, folder) => {
      const instance = await findInstance(database, instanceId);
      const { definition } = fillTask(await findTask(parts, instance.taskDigest), instance.parameters);
      const manifest = await collectFolder(folder, definition.proctor.artifact, blobs);
      return saveArtifact(database, { instanceId, manifest, idempotencyKey: keyOfSession(id), labels });
    },
    houseRules: async () => NO_HOUSE_RULES,
    handedIn: (sessionId) => findHandedIn(database, keyOfSession(sessionId)),
  });
  return { ...host, close: () => host.close().finally(driver.close) };
}

async function recordOne({ parts }: Service, host: SessionHost, planned: Planned): Promise<LabelledSession> {
  const task = await loadTask(planned.task.folder);
  await saveTask(parts, task);
  const { id: instanceId } = await saveInstance(parts.database, makeInstance(task, { seed: planned.seed }));
  const { id } = await host.open({ instanceId, idempotencyKey: null });
  for (const command of planned.commands) {
    const parameters = { command, timeout_sec: STEP_SECONDS };
    const action = checkAction({ environment: 'shell', action: 'run', parameters });
    await host.act(id, { action, messageId: null, tokens: Math.ceil(command.length / 4) });
  }
  await host.finish(id);
  const { behaviour, isRecorded } = await profileSession(parts, id);
  if (!isRecorded) throw new ProctorError('sandbox-failed', 'it was not recorded whole');
  return {
    ...{ id: `recorded-${planned.number}`, cohort: task.name, group: planned.seed },
    label: planned.cheat ?? HONEST,
    ...(planned.cheat !== null && { touched: [...TOUCHED[planned.cheat]] }),
    behaviour: storedBehaviour(behaviour),
  };
}
