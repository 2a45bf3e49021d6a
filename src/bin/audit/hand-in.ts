import { join } from 'node:path';
import { drawInstance } from '../../pipeline/draw-instance.ts';
import type { AuditRun } from '../../stages/task/admission.ts';
import type { Task, TaskFile } from '../../stages/task/task.ts';
import { overlay, placeFiles } from '../corpus/build-workspace.ts';
import { gradeFolder } from '../grade-folder.ts';
import type { Service } from '../open-service.ts';
import { withScratchFolder } from '../scratch-folder.ts';

/** What an audit hands in: a base, and files laid over it. */
export interface HandIn {
  readonly kind: AuditRun['kind'];
  readonly name: string;
  readonly technique?: string;
  /** What lies beneath: nothing, the workspace as the agent gets it, or the reference over that. */
  readonly base: 'nothing' | 'environment' | 'solution';
  /** A folder laid over it (an honest variant). */
  readonly folder?: string;
  readonly files?: readonly TaskFile[];
}

/** Where to audit. */
export interface Auditing {
  readonly service: Service;
  readonly task: Task;
  readonly folder: string;
  readonly seed: string;
}

/** Takes one hand-in through the whole service. */
export async function tryHandIn({ service, task, folder, seed }: Auditing, handIn: HandIn): Promise<AuditRun> {
  const instance = await drawInstance(service.parts, task, { seed });
  return withScratchFolder('audit', async (workspace) => {
    await placeFiles(workspace, handIn.base === 'nothing' ? [] : instance.files);
    if (handIn.base === 'solution') await overlay(workspace, join(folder, 'solution'), instance.parameters);
    if (handIn.folder !== undefined) await overlay(workspace, handIn.folder, instance.parameters);
    await placeFiles(workspace, handIn.files ?? []);
    const { reward, verdict, grade } = await gradeFolder(service, instance, workspace);
    const cases = grade.kind === 'measured' ? grade.cases : [];
    return {
      ...{ kind: handIn.kind, name: handIn.name, technique: handIn.technique ?? null },
      ...{ outcome: verdict.body.outcome, reward: reward.body.reward, total: cases.length },
      passed: cases.filter(({ status }) => status === 'passed').map(({ id }) => id),
    };
  });
}
