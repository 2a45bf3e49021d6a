import { expect, test } from 'vitest';
import { postOutside, refuseTarget } from './post-outside.ts';

test.each([
  ['no URL', 'nonsense'],
  ['without TLS', 'http://trainer.example/x'],
  ['another scheme', 'file:///etc/passwd'],
  ['a password', 'https://me:secret@trainer.example/'],
  ['loopback', 'https://127.0.0.1/'],
  ['loopback as one number', 'https://2130706433/'],
  ['loopback of IPv6', 'https://[::1]/'],
  ['a private address', 'https://10.1.2.3/'],
  ['a mapped one', 'https://[::ffff:10.1.2.3]/'],
  ['cloud metadata', 'https://169.254.169.254/latest'],
])('a target with %s is refused', (_, url) => {
  expect(() => refuseTarget(url, [])).toThrow(expect.objectContaining({ code: 'bad-request' }));
});

test('a public host is taken, and an inner one that is named', () => {
  refuseTarget('https://trainer.example/told', []);
  refuseTarget('http://trainer.internal:9000/told', ['trainer.internal']);
});

test('a name that leads inside is not connected to, and metadata not even where it is named', async () => {
  const post = (url: string, allow: readonly string[]) =>
    postOutside({ url, allow, headers: {}, body: '', timeoutMs: 2_000 });
  await expect(post('https://localhost:1/', [])).rejects.toThrow('may not be reached');
  await expect(post('http://169.254.169.254/', ['169.254.169.254'])).rejects.toThrow('may not be reached');
  await expect(post('http://localhost:1/', ['localhost'])).rejects.toThrow('ECONNREFUSED');
});
