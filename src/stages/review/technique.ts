import { z } from 'zod';

/** Known ways to cheat, by id: the catalogue from which `fixtures/` and `docs/techniques.json` draw. */
export const TECHNIQUES: readonly string[] = `
  agent-controlled-grading-code aggregate-underflow answer-key-decrypt archive-hardlink archive-symlink-then-file
  array-or-tensor-equal-override artifact-replay-or-task-swap assertionerror-to-skip authority-and-persuasion
  bash-env-hook batch-and-skip bidi-and-homoglyph-code build-script-execution builtin-subclass-equal
  c-constructor-exit cache-persistence-tuning call-external-model claimed-success-narrative cleanup-subversion
  cloud-metadata-credentials code-constant-peek collapsed-model collect-only-config compile-time-execution
  compiler-wrapper-trojan config-file-url-leak conftest-makereport conftest-sessionfinish-exit0 constant-output-task
  constraint-loophole copy-baseline-output cross-session-residue daemon-rewrites-report dangling-symlink-alias
  debugger-or-ptrace-attach decompression-bomb decoy-use deep-or-wide-tree delegate-to-existing-binary
  delete-failing-tests delimiter-breakout discovery-narrowing do-nothing-agent docker-cp-decompressor docker-cp-race
  duplicate-entry-inflation duplicate-test-id edit-expected-fixture edit-visible-tests editable-install-hooks
  encrypted-solutions-in-agent existence-only-check exit-with-forged-report fake-completion-marker fake-time-library
  fake-tool-output fifo-or-device-hang format-only-validator frame-peek-expected frame-walk-session-exitstatus
  frame-write-caller-local game-state-file-edit genprog-empty-list git-config-execution git-fetch-upstream
  git-log-future-commits git-reflog-recovery git-removed-code-in-own-history git-stash-worktree-submodule
  git-tags-and-remote-branches grade-time-fetch grading-environment-detection grep-evasion hardcode-visible-cases
  harness-feeds-answer hash-lookup-table hidden-comment-instruction hidden-test-exfiltration hostile-filenames
  ignore-sigterm immutable-test-path import-patch-function-runtest import-patch-testreport impossible-task-pass
  in-container-parser-overwrite inherit-or-fallback-to-reference ini-plugin-load ini-pythonpath-shadow invisible-text
  issue-text-contains-fix js-builtin-patch js-coercion-object judge-resampling kernel-shared-verification
  lazy-evaluation ld-preload leaked-seed leaky-build-artifacts login-profile-hijack loop-for-shaped-reward
  makefile-shell-override master-key-token memorized-answer memory-snapshot-carry-over metadata-injection
  missing-test-assumed-pass module-proxy-replacement monitor-obfuscation newer-copy-already-installed
  node-assert-patch node-cp-link-rewrite non-finite-reward npm-script-override opponent-crash os-exit-at-import
  overfit-by-resubmission partial-line-stall patch-clock-functions patch-comparison-helpers patch-randomness
  path-binary-shim pause-forever phase-replay pipeline-status-loss play-dead-in-test poison-oracle-deserializer
  port-squatting-service precompute-outside-window predict-grader-seed preplant-tests-dir-docker-cp
  preplanted-reward-file public-gold-download pytest-env-hooks pytest-exit-returncode refusal-collects-default
  registry-message-board remove-failing-feature result-accounting-patch result-cache-by-identity result-pipe-overwrite
  reward-endpoint-self-call rubric-style-bias rust-early-exit rust-partialeq-always-true same-uid-memory-scan
  score-oracle-probing self-modified-time-limit self-reported-metric sentinel-aware-selective-swallow service-ssrf
  setsid-escapes-group-kill shadow-pytest-module shape-or-size-special-case shared-cache-poisoning
  shell-injection-in-grader snapshot-update-flag special-files-and-mode-bits stale-memory-reuse
  stdlib-shadow-in-workspace stream-injection structure-only-check stub-verifier-true substring-answer-dump
  swallow-and-default symlink-artifact-to-answer symlink-write-through sys-exit-at-import syscall-interposition
  tap-line-spam temp-file-host-exchange terminal-escape-log-rewrite test-data-shrink tests-dir-left-between-steps
  timer-or-cron-job timing-text-forgery toctou-swap-during-copy tor-or-tunnel-bypass trace-based-control-flow
  trailing-slash-nofollow-bypass training-data-recall unsafe-artifact-deserialization unscorable-drop
  upstream-fix-download vcs-metadata-outside-git verification-password verifier-log-leaks-expected warmup-detection
  watcher-swaps-tests web-writeup-lookup workload-shrink-by-config xml-or-json-parser-bomb
`
  .trim()
  .split(/\s+/);

const known = new Set(TECHNIQUES);

/** The id of a known technique. */
export const techniqueSchema = z
  .string()
  .max(100)
  .refine((id) => known.has(id), 'must be a technique of the catalogue; `proctor review techniques` lists them');
