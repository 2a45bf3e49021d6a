import { describe, expect, test } from 'vitest';
import { extractTrajectory } from './extract-trajectory.ts';
import { FEATURE_AT, type FeatureName } from './features.ts';
import { importTrajectory } from './import-trajectory.ts';
import type { Trajectory } from './trajectory.ts';

const FACTS = { workspace: '/work', forbiddenPaths: ['/grader'], harnessPaths: [], decoyPaths: [] };
const featureOf = (trajectory: Trajectory, name: FeatureName) =>
  extractTrajectory(trajectory, FACTS).values[FEATURE_AT[name]];

const openAi = {
  messages: [
    { role: 'user', content: 'Repair it.' },
    {
      ...{ role: 'assistant', content: 'I look.' },
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"cat /grader/tests.py"}' } },
        { id: 'b', type: 'function', function: { name: 'bash', arguments: 'ls -la' } },
      ],
    },
    { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'four' }] },
    { role: 'tool', tool_call_id: 'a', content: 'denied' },
    {
      role: 'assistant',
      tool_calls: [
        {
          id: 'c',
          function: {
            name: 'str_replace_editor',
            arguments: { command: 'create', path: '/work/a.py', file_text: 'x = 1' },
          },
        },
      ],
    },
  ],
};
const atif = {
  schema_version: 'ATIF-v1.4',
  session_id: 's',
  agent: { name: 'a', version: '1' },
  steps: [
    { step_id: 1, source: 'user', message: 'Repair it.' },
    {
      ...{ step_id: 2, source: 'agent', message: 'I look.', timestamp: '2026-01-01T00:00:00Z' },
      tool_calls: [
        { tool_call_id: 'a', function_name: 'bash_command', arguments: { keystrokes: 'cat /grader/tests.py\n' } },
      ],
      observation: { results: [{ source_call_id: 'a', content: 'denied' }] },
      metrics: { prompt_tokens: 9, completion_tokens: 40 },
    },
  ],
};
const traj = {
  trajectory: [
    { action: 'open src/a.py\n', observation: 'one two', thought: 'look', response: 'look\nopen' },
    { action: 'edit 1:1\nx = 1\nend_of_edit', observation: '', thought: 'so' },
  ],
  info: { exit_status: 'submitted', submission: 'diff --git a b\n' },
};

describe('a session of another program', () => {
  test('of chat messages has a step for each tool call, with what its tool answered', () => {
    const told = importTrajectory(JSON.stringify(openAi));
    expect(told.steps).toEqual([
      { command: 'cat /grader/tests.py', outputBytes: 6, thoughtChars: 7 },
      { command: 'ls -la', outputBytes: 4 },
      { command: "cat > '/work/a.py' <<'END'\nx = 1\nEND", target: '/work/a.py' },
    ]);
    expect(featureOf(told, 'forbidden_opens')).toBe(1);
    expect(featureOf(told, 'files_written')).toBe(1);
    expect(importTrajectory(JSON.stringify(openAi.messages))).toEqual(told);
  });

  test('of ATIF has the agent’s calls, its tokens and no time that nobody took', () => {
    const told = importTrajectory(JSON.stringify(atif));
    expect(told.steps).toMatchObject([{ command: 'cat /grader/tests.py\n', outputBytes: 6, outputTokens: 40 }]);
    expect(featureOf(told, 'output_tokens')).toBe(40);
    expect(featureOf(told, 'wall_ms')).toBeNull();
  });

  test('of SWE-agent has its patch, and the file that its editor holds', () => {
    const told = importTrajectory(JSON.stringify(traj));
    expect(told.steps[1]).toMatchObject({ target: 'src/a.py' });
    expect(featureOf(told, 'patch_bytes')).toBe(15);
  });

  test('in the neutral shape is taken as it is', () => {
    const own = { steps: [{ command: 'ls', exitCode: 0 }] };
    expect(importTrajectory(JSON.stringify(own))).toEqual(own);
  });

  test.each([
    ['no JSON', '{', undefined],
    ['a number', '7', undefined],
    ['nothing that is known', '{"runs":[]}', undefined],
    ['another version', JSON.stringify({ ...atif, schema_version: 'ATIF-v2.0' }), undefined],
    ['messages of another shape', '[{"content":"x"}]', undefined],
    ['another format than the one that is named', JSON.stringify(traj), 'openai'],
    ['steps that are no texts', '{"trajectory":[{"action":7}]}', undefined],
  ] as const)('%s is refused with a reason', (_, text, format) => {
    expect(() => importTrajectory(text, format)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });

  test('with a path that would end its quotes names that path still, and keys of every object name nothing', () => {
    const call = (parameters: string) => [
      { role: 'assistant', tool_calls: [{ function: { name: 'view', arguments: parameters } }] },
    ];
    const told = importTrajectory(JSON.stringify(call(JSON.stringify({ path: "/grader/it's" }))));
    expect(featureOf(told, 'forbidden_opens')).toBe(1);
    expect(importTrajectory(JSON.stringify(call('{"__proto__":{"command":"id"}}'))).steps).toEqual([
      { command: 'view' },
    ]);
  });
});
