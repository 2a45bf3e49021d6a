import { expect, test } from 'vitest';
import { newWebhookSecret, signatureHeaders } from './webhook.ts';

test('a message is signed as the Standard Webhooks specification says', () => {
  // the example of the specification's own libraries (standard-webhooks/standard-webhooks, libraries/)
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
  expect(signatureHeaders(message, '{"test": 2432232314}', 1_614_265_330)).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('no two secrets are the same', () => {
  expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newWebhookSecret()).not.toBe(newWebhookSecret());
});
