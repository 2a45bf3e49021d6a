import { expect, test } from 'vitest';
import { takeKeyFromPath } from './key-in-path.ts';

function taken(url: string) {
  const request = { url, headers: {} as Record<string, string> };
  return [takeKeyFromPath(request), request.headers.authorization];
}

test('a key in the path becomes the header, and leaves the path', () => {
  expect(taken('/compat/k/proctor_a_b/slime/rm?detail=1')).toEqual(['/compat/slime/rm?detail=1', 'Bearer proctor_a_b']);
});

test('any other path stays as it is, and nothing outside /compat takes a key from it', () => {
  for (const url of ['/v1/rewards', '/compat/slime/rm', '/compat/k/', '/v1/k/key/x'])
    expect(taken(url)).toEqual([url, undefined]);
  expect(taken('/compat/k/key/../v1/keys')).toEqual(['/compat/../v1/keys', 'Bearer key']);
});

test('what stands where a key should and leads nowhere is cut off', () => {
  for (const url of ['/compat/k/key', '/compat/k/key?detail=1', '/compat/k/a b/x', '/compat/k//x'])
    expect(taken(url)).toEqual(['/compat/k/', undefined]);
});
