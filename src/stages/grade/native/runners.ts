import type { NATIVE_RUNNERS } from '../../task/native.ts';
import type { NativeRunner } from './native-runner.ts';
import { CARGO_TEST } from './run-cargo-test.ts';
import { GO_TEST } from './run-go-test.ts';
import { JUNIT } from './run-junit.ts';
import { NODE_TEST } from './run-node-test.ts';
import { PYTEST } from './run-pytest.ts';
import { TAP } from './run-tap.ts';
import { VITEST_RUNNER } from './run-vitest.ts';

/** The runners by name. */
export const RUNNERS = {
  pytest: PYTEST,
  'node-test': NODE_TEST,
  vitest: VITEST_RUNNER,
  'go-test': GO_TEST,
  'cargo-test': CARGO_TEST,
  tap: TAP,
  junit: JUNIT,
} as const satisfies Readonly<Record<(typeof NATIVE_RUNNERS)[number], NativeRunner>>;
