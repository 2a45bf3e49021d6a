// technique: process-exit-at-import
process.exit(0);
const anything = undefined;
/* exports */
