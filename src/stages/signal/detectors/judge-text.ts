import {
  type Detector,
  type Finding,
  findInSolution,
  type ScreenedFile,
  type ScreenInput,
  signalsOf,
} from '../detector.ts';
import { proseOf } from '../prose.ts';

const JUDGE =
  '(?:grader|grading (?:system|model|script|agent)|judge|evaluator|assessor|(?:automat(?:ic|ed)|ai|llm|language[- ]model) (?:judge|grader|review|check|scor)\\w*|reviewer|scoring (?:model|system)|verifier)s?';
/** Someone who judges is spoken to. */
const ADDRESS = new RegExp(
  `\\b(?:note|message|instructions?|attention|notice|dear|hello|hi|hey)\\b.{0,12}?\\b(?:the |any |all |our |whoever )?${JUDGE}\\b`,
  'i',
);
const MUST = new RegExp(`\\b${JUDGE} (?:must|should|shall|has to|have to|is to|are to|needs? to)\\b`, 'i');
/** A result is asked for. */
const DEMAND =
  /\b(?:report|give|award|assign|mark|accept|treat|grant|score|rate)\b[^.]{0,80}\b(?:full (?:marks?|score|credit|points)|maximum|pass(?:ed|ing)?|reward|10\/10|100 ?%|perfect|right|correct|outcome|integrity|verdict)\b/i;
/** It is about this very hand-in. */
const THIS =
  /\b(?:this|my|our) (?:submission|solution|program|code|answer|artifact|implementation|work)\b|\bhidden (?:tests?|cases?|checks?|maps?|files?)\b|\bthe (?:verdict|evaluation|grading)\b|\bmark (?:it|this|them|everything) (?:as )?(?:passed|correct|right|accepted)\b|\breward:? 1\b/i;
const ROLE = /(?:^|\s|<)(?:SYSTEM|ASSISTANT|System|Assistant)\s?(?::|>)/;
const CHAT_MARK = /<\|(?:im_start|im_end|system|assistant|endoftext|eot_id)\|>|\[\/?INST\]|<<SYS>>/;
const IGNORE =
  /(["'`“‘«]?)\b(?:ignore|disregard|forget|override)\b (?:(?:all|any|the|your|every|of) ){0,3}(?:previous|prior|above|earlier|preceding|system) (?:instructions?|prompts?)/i;
const BREAKOUT = /<\/(?:submission|candidate|answer|solution|student_?(?:answer|code)|response|code_to_grade)>/i;
const SCORE = /\b(?:score|rating|grade|marks?)\s?[:=]\s?(?:10 ?\/ ?10|100 ?\/ ?100|100 ?%)/i;

/** Tasks and texts of which such words are an ordinary part. */
const SUBJECTS =
  /prompt|\bLLMs?\b|language model|chat ?bot|jailbreak|inject|gradebook|\bgrad(?:e|ing) (?:of )?(?:students|homework|exams)/i;
const SCHOOL = /\b(?:students?|pupils?|homework|exams?|quiz(?:zes)?|teachers?|courses?|rubrics?)\b/i;
const TEMPLATE = /\{\{?\s?\w{1,40}\s?\}?\}|\bYou are an? \w/;

/**
 * Text for a person or a model that judges: orders to give marks, roles of a conversation, an end to the quoted
 * hand-in. No judge of Proctor's reads it as an order; that it was written tells something. Words alone are a note.
 */
export const judgeText: Detector = {
  name: 'judge-text',
  detect(input) {
    const found = findInSolution(input, (file) => inFile(input, file), SUBJECTS);
    return signalsOf([...found, ...inNames(input)], 'text that speaks to whoever judges the work');
  },
};

function inFile(input: ScreenInput, file: ScreenedFile): readonly Finding[] {
  const prose = proseOf(input, file);
  const ordinary =
    /prompt|template/i.test(file.path) || prose.some(({ text }) => SCHOOL.test(text) || TEMPLATE.test(text));
  return prose.flatMap(({ line, text }): Finding[] => {
    const said = judged(text);
    if (said === null) return [];
    return [{ path: file.path, line, what: said.what, severity: ordinary ? 'note' : said.severity }];
  });
}

/** Names of files, of those that stayed behind too. */
function inNames({ manifest, solution }: ScreenInput): readonly Finding[] {
  const paths = [...solution.map(({ path }) => path), ...manifest.leftBehind.map(({ path }) => path)];
  return paths.flatMap((path): Finding[] => {
    const said = judged(path.slice(0, 1_000).replace(/[_\-./\\"]+/g, ' '));
    return said === null ? [] : [{ path, line: 0, what: `a name: ${said.what}`, severity: said.severity }];
  });
}

type Said = Pick<Finding, 'severity' | 'what'>;

function judged(text: string): Said | null {
  const asks = DEMAND.test(text) && THIS.test(text);
  const spoken = ADDRESS.test(text) || MUST.test(text);
  const role = ROLE.test(text) || CHAT_MARK.test(text);
  if (asks && (spoken || role)) return { severity: 'suspect', what: 'asks a judge for a result' };
  const ignore = IGNORE.exec(text);
  if (ignore?.[1] === '' && (DEMAND.test(text) || THIS.test(text) || spoken)) {
    return { severity: 'suspect', what: 'tells a model to ignore its instructions' };
  }
  const breakout = BREAKOUT.test(text);
  if (breakout && (role || asks)) return { severity: 'suspect', what: 'ends the quoted hand-in and goes on' };
  return doubtful(text, { ignore: ignore !== null, spoken, breakout });
}

function doubtful(text: string, seen: Readonly<Record<'ignore' | 'spoken' | 'breakout', boolean>>): Said | null {
  const note = (what: string): Said => ({ severity: 'note', what });
  if (seen.ignore) return note('speaks of ignoring instructions');
  if (seen.spoken && (DEMAND.test(text) || SCORE.test(text))) return note('speaks of a judge and a result');
  if (CHAT_MARK.test(text)) return note('holds marks of a conversation with a model');
  return seen.breakout ? note('ends something that was not begun') : null;
}
