import { spawn } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { compatForFile } from '../support/compat-kit.ts';
import { RIGHT, WRONG } from '../support/tiny-task.ts';

const { api } = compatForFile();
const opened = { url: '' };
beforeAll(async () => {
  opened.url = await api().app.listen({ port: 0, host: '127.0.0.1' });
});

/** Stands in for the two names of Harbor that the class uses; `npm run clients` runs it beneath Harbor's own factory. */
const SCRIPT = `
import asyncio, json, os, sys, tempfile, types
from pathlib import Path
from types import SimpleNamespace

class VerifierResult:
    def __init__(self, rewards): self.rewards = rewards
class BaseVerifier:
    def __init__(self, *, task, trial_paths, environment, **_):
        self.task, self.trial_paths, self.environment = task, trial_paths, environment
for name, given in (('harbor.models.verifier.result', {'VerifierResult': VerifierResult}), ('harbor.verifier.base', {'BaseVerifier': BaseVerifier})):
    parts = name.split('.')
    for end in range(1, len(parts) + 1):
        sys.modules.setdefault('.'.join(parts[:end]), types.ModuleType('.'.join(parts[:end])))
    vars(sys.modules[name]).update(given)
from proctor_verifier import ProctorVerifier

asked = json.load(sys.stdin)
class Folder:
    async def download_dir(self, source_dir, target_dir):
        if asked.get('broken'): raise OSError('the container is gone')
        Path(target_dir, 'double.py').write_text(asked['source'])
        Path(target_dir, 'link').symlink_to('/etc/passwd')
        if asked.get('large'): os.truncate(os.open(Path(target_dir, 'a'), os.O_CREAT | os.O_WRONLY), 2 ** 31)

folder = Path(tempfile.mkdtemp())
paths = SimpleNamespace(verifier_dir=folder, reward_text_path=folder / 'reward.txt', reward_json_path=folder / 'reward.json')
paths.reward_json_path.write_text('{"reward": 99}')
verifier = ProctorVerifier(task=SimpleNamespace(name=asked['task']), trial_paths=paths, environment=Folder(), base_url=asked['url'], timeout_sec=asked['timeout'])
found = {'rewards': None, 'raised': None}
try:
    found['rewards'] = asyncio.run(verifier.verify()).rewards
except Exception as error:
    found['raised'] = type(error).__name__
details = folder / 'reward-details.json'
found['written'] = json.loads(paths.reward_json_path.read_text()) if paths.reward_json_path.exists() else None
found['details'] = json.loads(details.read_text()) if details.exists() else None
print(json.dumps(found))
`;

async function verified(asked: object) {
  const env = {
    PATH: process.env.PATH ?? '',
    PYTHONPATH: 'clients/harbor',
    PYTHONDONTWRITEBYTECODE: '1',
    PROCTOR_KEY: api().keys.harness,
  };
  const child = spawn('python3', ['-c', SCRIPT], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ task: 'test/double', url: opened.url, timeout: 30, source: RIGHT, ...asked }));
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text);
}

describe('the verifier for Harbor', () => {
  test('writes flat finite numbers, and everything else beside them', async () => {
    const found = await verified({});
    const rewards = { reward: 1, score: 1, train_weight: 1, cases_passed: 5, cases_total: 5 };
    expect(found).toMatchObject({
      rewards,
      written: rewards,
      raised: null,
      details: { outcome: 'passed', left_out: 0 },
    });
    expect((await verified({ source: WRONG })).written.reward).toBe(0);
  });

  test('a large file of the agent’s does not keep its work from being graded', async () => {
    const found = await verified({ source: WRONG, large: true });
    expect([found.written.reward, found.details.left_out]).toEqual([0, 1]);
  });

  test('what is not for learning raises, and a reward that lay there is gone', async () => {
    const found = await verified({ source: WRONG, task: 'test/doubtful' });
    expect(found).toMatchObject({ raised: 'ProctorWithheldError', written: null, details: { mask_sample: true } });
    expect((await verified({ task: 'no/such' })).raised).toBe('ProctorWithheldError');
  });

  test('an outage raises another error, which Harbor tries again', async () => {
    for (const fault of [{ url: 'http://127.0.0.1:9', timeout: 1 }, { broken: true }, { timeout: 0 }]) {
      expect((await verified(fault)).raised).toBe('ProctorUnavailableError');
    }
  });
});
