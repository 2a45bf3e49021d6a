import type { ApiParts } from '../api/api-parts.ts';
import { appealCase } from '../pipeline/appeal-case.ts';
import type { PipelineParts } from '../pipeline/pipeline-parts.ts';
import { ruleCase } from '../pipeline/rule-case.ts';
import { ruleGroup } from '../pipeline/rule-group.ts';
import { undoRuling } from '../pipeline/undo-ruling.ts';

/** Rulings as the API and the pages make them: by the same functions. */
export function rulingsOf(parts: PipelineParts): ApiParts['reviews'] {
  return {
    rule: (ruling) => ruleCase(parts, ruling),
    ruleGroup: (ruling) => ruleGroup(parts, ruling),
    undo: (undoing) => undoRuling(parts, undoing),
    appeal: (appeal) => appealCase(parts, appeal),
  };
}
