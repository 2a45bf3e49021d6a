import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { benchQueuePage } from '../../scripts/bench/queue-page.ts';
import { reviewable } from '../support/review-rows.ts';
import { testService } from '../support/test-service.ts';

let opened: Awaited<ReturnType<typeof testService>>;
beforeAll(async () => {
  opened = await testService({}, { grades: false });
});
afterAll(() => opened.dispose());

describe('pages over many cases', () => {
  test('the queue is paged and filtered, and its time is known', async () => {
    const { caseId } = await reviewable(opened.service.parts.database);
    const row = await benchQueuePage(opened.service, opened.config, { caseId, cases: 300, pages: 12 });
    expect(row.p95Ms).toBeGreaterThan(0);
  });
});
