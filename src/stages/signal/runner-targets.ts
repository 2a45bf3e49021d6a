import { isIn } from './python-names.ts';

/** Modules that judge: whatever of theirs is replaced changes what a test means. */
const RUNNERS = ['pytest', '_pytest', 'pluggy', 'unittest', 'doctest', 'nose', 'hypothesis'];
/** Settings of runners that are made to be assigned. */
const SETTINGS = /\.(?:maxDiff|longMessage|_MAX_LENGTH)$/;

/** What judges rely on in other modules. Shims that add a missing name, and hooks made to be set, are not listed. */
const RELIED_ON: Readonly<Record<string, RegExp>> = {
  builtins:
    /^(?:AssertionError|BaseException|Exception|isinstance|issubclass|type|open|eval|exec|compile|__import__|all|any|abs|sum|len|round|repr|hash|id|sorted|min|max|zip|map|getattr|hasattr|str|int|float|bool|list|dict|set|tuple)$/,
  math: /^(?:isclose|isnan|isinf|isfinite|fabs|floor|ceil|sqrt|fsum)$/,
  cmath: /^(?:isclose|isnan|isinf|isfinite)$/,
  operator: /^(?:eq|ne|lt|le|gt|ge|is_|is_not|__eq__|__ne__|contains)$/,
  json: /^(?:loads?|dumps?|JSONDecoder(?:\.\w+)?|decoder\.\w.*)$/,
  pickle: /^(?:loads?|dumps?|Unpickler)$/,
  csv: /^(?:reader|DictReader)$/,
  copy: /^(?:copy|deepcopy)$/,
  difflib: /^(?:SequenceMatcher|unified_diff|ndiff).*$/,
  time: /^(?:time|monotonic|perf_counter|process_time|thread_time|sleep|clock_gettime)(?:_ns)?$/,
  timeit: /^.+$/,
  datetime: /^(?:datetime|date)(?:\.\w+)?$/,
  random:
    /^(?:random|randint|randrange|choice|choices|sample|shuffle|uniform|getrandbits|seed|Random|SystemRandom|_inst)(?:\.\w+)?$/,
  secrets: /^.+$/,
  os: /^(?:urandom|_exit|getrandom|wait|waitpid|times)$/,
  sys: /^(?:exit|modules)$/,
  signal: /^(?:signal|alarm|setitimer|pthread_kill)$/,
  resource: /^(?:getrusage|setrlimit|getrlimit)$/,
  subprocess: /^(?:run|call|check_call|check_output|Popen)(?:\.\w+)?$/,
  hashlib: /^(?:sha\w+|md5|new|blake2\w)$/,
  numpy: /^(?:allclose|isclose|array_equal|array_equiv|testing\..+|random\..+)$/,
  torch: /^(?:allclose|isclose|equal|eq|testing\..+|cuda\.(?:synchronize|Event)(?:\..+)?)$/,
  pandas: /^testing\..+$/,
};

/** Modules into which names are put for many reasons: translations, shims. */
const WIDE = new Set(['sys', 'os', 'builtins']);

/** Whether a dotted name is something that a test run relies on. `module.*` stands for names that are not spelled out. */
export function isReliedOn(target: string): boolean {
  if (SETTINGS.test(target)) return false;
  if (RUNNERS.some((runner) => isIn(target, runner))) return true;
  const [module = '', ...rest] = target.split('.');
  const pattern = Object.hasOwn(RELIED_ON, module) ? RELIED_ON[module] : undefined;
  if (pattern === undefined || rest.length === 0) return false;
  return rest.join('.') === '*' ? !WIDE.has(module) : pattern.test(rest.join('.'));
}

/** Whether a module, replaced as a whole in `sys.modules`, is one that judges. */
export function isJudging(module: string): boolean {
  const known = Object.hasOwn(RELIED_ON, module) && module !== 'numpy' && module !== 'torch' && module !== 'pandas';
  return known || RUNNERS.some((runner) => isIn(module, runner));
}
