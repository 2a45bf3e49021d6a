/**
 * An agent without a model: it does what is written here, hands in and prints the reward.
 *
 *     PROCTOR_URL=http://127.0.0.1:8787 PROCTOR_KEY=… npx tsx clients/typescript/examples/scripted-agent.ts
 */
import { Client, textOf } from '../src/client.ts';

const HELPERS = String.raw`
PREFIX_trim() { local text="$1"; text="${'$'}{text#"${'$'}{text%%[! ]*}"}"; printf '%s\n' "${'$'}{text%"${'$'}{text##*[! ]}"}"; }
PREFIX_slug() {
  local text
  text="$(printf '%s' "${'$'}{1,,}" | tr -cs 'a-z0-9' 'JOINT')"
  text="${'$'}{text#JOINT}"; text="${'$'}{text:0:LONGEST}"; printf '%s\n' "${'$'}{text%JOINT}"
}
PREFIX_count_words() { local words; read -r -a words <<<"$1"; printf '%d\n' "${'$'}{#words[@]}"; }
`;
const TRIAL = ". lib/text.sh; PREFIX_trim ' a b '; PREFIX_slug ' Two  Words!'; PREFIX_count_words 'one two'";

/** Every instance has others, so they are read where the instruction says them. */
const SAID = { PREFIX: /begin with `(\w+)_`/, JOINT: /becomes one `(.)`/, LONGEST: /at most (\d+)/ };

function filled(text: string, instruction: string): string {
  const values = Object.entries(SAID).map(([placeholder, said]) => [placeholder, said.exec(instruction)?.[1] ?? '']);
  return values.reduce((soFar, [placeholder = '', value = '']) => soFar.replaceAll(placeholder, value), text);
}

const client = new Client();
const { session } = await client.withSession({ task: 'proctor/tap-shell' }, async (opened) => {
  console.log(textOf(await opened.shell('cat lib/text.sh')));
  await opened.writeFile('lib/text.sh', filled(HELPERS, opened.instruction));
  console.log(textOf(await opened.shell(filled(TRIAL, opened.instruction))));
});
const { status, reward, mask_sample, failure_reason } = await session.waitForReward();
console.log(`${status}: reward ${reward}, learn from it: ${status === 'scored' && !mask_sample} ${failure_reason}`);
