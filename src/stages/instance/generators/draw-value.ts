import type { ParameterSpec } from '../../task/parameters.ts';
import { randomStream } from '../random-stream.ts';
import { cellDrawer } from './draw-cell.ts';
import { drawCode } from './draw-code.ts';
import { drawGraph } from './draw-graph.ts';
import { drawLog } from './draw-log.ts';
import { numberDrawer } from './draw-number.ts';
import { drawTable } from './draw-table.ts';
import { drawTree } from './draw-tree.ts';
import type { DrawnValue, DrawSource } from './drawn-value.ts';
import { drawWords } from './identifiers.ts';

/** Draws one parameter from streams that no other one has. */
export function drawValue(spec: ParameterSpec, source: DrawSource): DrawnValue {
  const stream = randomStream(source.seed, source.label);
  switch (spec.type) {
    case 'words':
      return { value: drawWords(spec.count, stream) };
    case 'integers': {
      const draw = numberDrawer(spec);
      return { value: Array.from({ length: spec.count }, () => draw(stream)) };
    }
    case 'table':
      return drawTable(spec, source);
    case 'graph':
      return { value: drawGraph(spec, source) };
    case 'tree':
      return { value: drawTree(spec, source) };
    case 'log':
      return drawLog(spec, source);
    case 'code':
      return drawCode(spec, source);
    default:
      return { value: cellDrawer(spec)(stream) };
  }
}
