import { Command } from 'commander';
import { gradeOrCharge } from '../../pipeline/grade-or-charge.ts';
import { loadSubmission } from '../../pipeline/load-submission.ts';
import { type GradeBody, gradeDigest } from '../../stages/grade/grade.ts';
import { findGrade } from '../../stages/grade/grade-store.ts';
import { findVerdict } from '../../stages/verdict/verdict-store.ts';
import { EXIT } from '../exit-codes.ts';
import { green, printJson, red } from '../output.ts';
import { withService } from '../with-service.ts';

/** `proctor regrade`: grades again from what is stored and compares. */
export function regradeCommand(): Command {
  return new Command('regrade')
    .argument('<verdict>', 'the id of a verdict (ver_…)')
    .description('grade again from stored digests alone, and prove that the result is the same')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ proctor regrade ver_0mabc1234…')
    .action((id: string, options: { json?: true }) =>
      withService(async ({ parts }) => {
        const verdict = await findVerdict(parts.database, id);
        const before = await findGrade(parts.database, verdict.gradeId);
        const request = await loadSubmission(parts, verdict.artifactId);
        const body = await gradeOrCharge(parts, { ...request, ...sameSnapshot(before.body) });
        const after = gradeDigest(body);
        const same = after === before.digest;
        const differing = same ? [] : differences(before.body, body);
        if (options.json) printJson({ verdictId: id, same, before: before.digest, after, differing });
        else console.log(same ? green(`same grade: ${after}`) : red(`the grade differs: ${differing.join(', ')}`));
        process.exitCode = same ? EXIT.ok : EXIT.differs;
      }),
    );
}

/** The snapshot that was graded on, by digest where it has one. */
function sameSnapshot(body: GradeBody): { snapshot?: string } {
  const snapshot = body.inputs?.snapshot;
  return snapshot?.pinned ? { snapshot: snapshot.digest } : {};
}

/** The top-level fields in which two grades differ, apart from times and notes. */
function differences(before: object, after: object): readonly string[] {
  const stable = ['kind', 'inputs', 'assurance', 'refusal', 'score', 'passed'];
  const record = (body: object) => body as Record<string, unknown>;
  const changed = stable.filter((name) => JSON.stringify(record(before)[name]) !== JSON.stringify(record(after)[name]));
  return changed.length > 0 ? changed : ['cases'];
}
