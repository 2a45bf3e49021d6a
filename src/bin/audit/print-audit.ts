import type { AuditReport } from '../../stages/task/admission.ts';
import { dim, green, red, table, yellow } from '../output.ts';

/** Prints an audit for people: the runs, the tests that are weak, where the hidden shows, and the ruling. */
export function printAudit(report: AuditReport): void {
  const runs = report.runs.map(({ kind, name, technique, outcome, reward, passed, total }) => [
    ...[kind, name, technique ?? '-', outcome, String(reward), `${passed.length}/${total}`],
  ]);
  console.log(`${table([['hand-in', 'name', 'technique', 'outcome', 'reward', 'tests'], ...runs])}\n`);
  const weak = report.tests.filter((test) => test.weak.length > 0);
  if (weak.length > 0) {
    console.log(`${weak.length} of ${report.tests.length} tests are weak:`);
    for (const { id, weak: reasons } of weak) console.log(`  ${yellow(id)}: ${reasons.join('; ')}`);
  }
  const believed = report.tests.filter(({ words }) => Object.keys(words).length > 0);
  if (believed.length > 0) {
    console.log(
      dim(
        `${believed.length} of ${report.tests.length} tests take the word of the artifact's own classes, as the reference needs it:`,
      ),
    );
    for (const { id, words } of believed) {
      const list = Object.entries(words).map(([word, times]) => `${word} ×${times}`);
      console.log(dim(`  ${id}: ${list.join(', ')}`));
    }
  }
  for (const { severity, file, message } of report.problems) {
    console.log(`${severity === 'error' ? red('error') : yellow('warning')}  ${file}: ${message}`);
  }
  for (const place of report.hidden) console.log(red(`hidden: ${place}`));
  const line = `${report.task}: score ${report.score} of 100, ${report.gate}`;
  console.log(report.gate === 'admitted' ? green(line) : red(line));
  for (const reason of report.why) console.log(`  ${reason}`);
}
