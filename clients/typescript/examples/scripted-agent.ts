/**
 * An agent without a model: it does what is written here, hands in and prints the reward.
 *
 *     PROCTOR_URL=http://127.0.0.1:8787 PROCTOR_KEY=… npx tsx clients/typescript/examples/scripted-agent.ts
 */
import { Client, textOf } from '../src/client.ts';

const HELPERS = String.raw`
trim() { local text="$1"; text="${'$'}{text#"${'$'}{text%%[! ]*}"}"; printf '%s\n' "${'$'}{text%"${'$'}{text##*[! ]}"}"; }
slug() {
  local text
  text="$(printf '%s' "${'$'}{1,,}" | tr -cs 'a-z0-9' '-')"
  text="${'$'}{text#-}"; text="${'$'}{text:0:LONGEST}"; printf '%s\n' "${'$'}{text%-}"
}
count_words() { local words; read -r -a words <<<"$1"; printf '%d\n' "${'$'}{#words[@]}"; }
`;

const client = new Client();
const { session } = await client.withSession({ task: 'proctor/tap-shell' }, async (opened) => {
  const longest = /at most (\d+)/.exec(opened.instruction)?.[1] ?? ''; // every instance has another one
  console.log(textOf(await opened.shell('cat lib/text.sh')));
  await opened.writeFile('lib/text.sh', HELPERS.replace('LONGEST', longest));
  console.log(textOf(await opened.shell(". lib/text.sh; trim ' a b '; slug ' Two  Words!'; count_words 'one two'")));
});
const { status, reward, mask_sample, failure_reason } = await session.waitForReward();
console.log(`${status}: reward ${reward}, learn from it: ${status === 'scored' && !mask_sample} ${failure_reason}`);
